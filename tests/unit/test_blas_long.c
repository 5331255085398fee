/* SPDX-License-Identifier: Apache-2.0
 *
 * int32 products with int64 results: every layout, transposition and fill, extreme operands, factors of 64 bits, batches; the
 * results are compared bit for bit, poison between the rows of C included. */
#include "blas_fixture.h"

typedef struct Long { /* C: lines of `length` elements, ld apart, one problem after another */
    size_t   lines, length, ld, words;
    int64_t *v, *old;
    WwPtr    p;
} Long;

static Long long_new(size_t lines, size_t length, size_t extra, size_t batch, uint64_t *seed)
{
    Long c  = {lines, length, length + extra, 0, NULL, NULL, 0};
    c.words = lines * c.ld * batch;
    c.v     = malloc(c.words * sizeof *c.v);
    c.old   = malloc(c.words * sizeof *c.old);
    for (size_t i = 0; i < c.words; i++)
        c.v[i] = c.old[i] = (int64_t)((uint64_t)next_bits(seed) << 32 | next_bits(seed));
    assert_works(ww_alloc(device, c.words * sizeof *c.v, &c.p));
    assert_works(ww_copy_in(device, c.p, c.v, c.words * sizeof *c.v));
    return c;
}

static void long_free(Long *c)
{
    assert_works(ww_free(device, c->p));
    free(c->v);
    free(c->old);
}

/* Small and large numbers, the extremes among them. */
static void operands(Mat *m, uint64_t *seed)
{
    for (size_t i = 0; i < m->words; i++) {
        uint32_t r = next_bits(seed);
        m->v[i]    = r % 7 == 0 ? (r & 8 ? 0x80000000u : 0x7fffffffu) : next_bits(seed);
    }
    mat_put(m);
}

static uint64_t product(const Mat *a, bool ta, size_t i, const Mat *b, bool tb, size_t j, size_t k)
{
    uint64_t sum = 0;
    for (size_t l = 0; l < k; l++) {
        int32_t x = (int32_t)a->v[ta ? mat_at(a, l, i) : mat_at(a, i, l)],
                y = (int32_t)b->v[tb ? mat_at(b, j, l) : mat_at(b, l, j)];
        sum += (uint64_t)((int64_t)x * y);
    }
    return sum;
}

static const int64_t factors[][2] = {{1, 0}, {-3, 1}, {0x123456789abcdef, -0x7000000000000001}, {0, 5}, {0, 0}};

static void gemm(void **state)
{
    static const size_t shape[][3] = {{1, 1, 1}, {61, 67, 19}, {64, 128, 8}, {130, 65, 9}, {5, 7, 0}};
    uint64_t            seed       = 11;
    (void)state;
    for (unsigned how = 0; how < 8; how++)
        for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
            bool   cm = how & 1, ta = how & 2, tb = how & 4;
            size_t m = shape[s][0], n = shape[s][1], k = shape[s][2], extra = (s + how) % 3;
            Mat    a = mat_new(ta ? k : m, ta ? m : k, extra, cm, s), b = mat_new(tb ? n : k, tb ? k : n, extra, cm, 1);
            Long   c         = long_new(cm ? n : m, cm ? m : n, extra, 1, &seed);
            const int64_t *f = factors[(s + how) % 5];
            operands(&a, &seed);
            operands(&b, &seed);
            assert_works(ww_gemm(blas, &(WwGemm){.type      = WW_I32_I64,
                                                 .layout    = cm ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                                                 .trans_a   = ta,
                                                 .trans_b   = tb,
                                                 .m         = m,
                                                 .n         = n,
                                                 .k         = k,
                                                 .alpha.i64 = f[0],
                                                 .beta.i64  = f[1],
                                                 .a         = a.p,
                                                 .b         = b.p,
                                                 .c         = c.p,
                                                 .lda       = a.ld,
                                                 .ldb       = b.ld,
                                                 .ldc       = c.ld}));
            assert_works(ww_copy_out(device, c.v, c.p, c.words * sizeof *c.v));
            for (size_t w = 0; w < c.words; w++) {
                size_t   line = w / c.ld, at = w % c.ld, i = cm ? at : line, j = cm ? line : at;
                uint64_t want = (uint64_t)c.old[w];
                if (at < c.length)
                    want = (uint64_t)f[0] * product(&a, ta, i, &b, tb, j, k) + (uint64_t)f[1] * want;
                if ((uint64_t)c.v[w] != want)
                    fail_msg("shape %zu, case %u: C(%zu, %zu)", s, how, i, j);
            }
            mat_free(&a);
            mat_free(&b);
            long_free(&c);
        }
}

/* Two problems of a strided batch; then the same by addresses. */
static void syrk_case(WwFill fill, bool cm, bool trans, const int64_t *f, bool arrays, uint64_t *seed)
{
    enum { N = 67, K = 21, BATCH = 2 };
    Mat    a = mat_new(trans ? K : N, trans ? N : K, 1, cm, 0), b = mat_new(trans ? K : N, trans ? N : K, 1, cm, 0);
    Mat   *each[] = {&a, &b};
    Long   c      = long_new(N, N, 2, BATCH, seed);
    WwPtr  as[] = {a.p, b.p}, cs[] = {c.p, c.p + N * c.ld * 8};
    WwSyrk p = {.type      = WW_I32_I64,
                .layout    = cm ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                .fill      = fill,
                .trans     = trans,
                .n         = N,
                .k         = K,
                .alpha.i64 = f[0],
                .beta.i64  = f[1],
                .a         = a.p,
                .c         = c.p,
                .lda       = a.ld,
                .ldc       = c.ld,
                .batch     = BATCH,
                .stride_c  = N * c.ld};
    operands(&a, seed);
    operands(&b, seed);
    if (arrays)
        p.a_array = as, p.c_array = cs;
    assert_works(ww_syrk(blas, &p));
    assert_works(ww_copy_out(device, c.v, c.p, c.words * sizeof *c.v));
    for (size_t w = 0; w < c.words; w++) {
        size_t   z = w / (N * c.ld), line = w / c.ld % N, at = w % c.ld, i = cm ? at : line, j = cm ? line : at;
        uint64_t want = (uint64_t)c.old[w];
        if (at < N && (fill == WW_FULL || (fill == WW_LOWER ? i >= j : i <= j))) {
            size_t low = i > j ? i : j, high = i > j ? j : i; /* beta takes the lower triangle's when all is written */
            size_t from  = fill != WW_FULL ? w : z * N * c.ld + (cm ? high * c.ld + low : low * c.ld + high);
            uint64_t sum = product(each[arrays * z], trans, i, each[arrays * z], !trans, j, K);
            want         = (uint64_t)f[0] * sum + (uint64_t)f[1] * (uint64_t)c.old[from];
        }
        if ((uint64_t)c.v[w] != want)
            fail_msg("fill %d, %s, trans %d, arrays %d: C(%zu, %zu) of problem %zu", (int)fill, cm ? "columns" : "rows",
                     trans, arrays, i, j, z);
    }
    mat_free(&a);
    mat_free(&b);
    long_free(&c);
}

static void syrk(void **state)
{
    uint64_t seed = 12;
    (void)state;
    for (unsigned how = 0; how < 24; how++)
        syrk_case((WwFill)(how % 3), how / 3 % 2, how / 6 % 2, factors[how % 5], how / 12, &seed);
}

static void refused(void **state)
{
    WwPtr  p;
    size_t need = 1;
    (void)state;
    assert_works(ww_alloc(device, 4096, &p));
    WwGemm g = {.type      = WW_I32_I64,
                .m         = 2,
                .n         = 2,
                .k         = 2,
                .alpha.i64 = 1,
                .a         = p,
                .b         = p,
                .c         = p + 1028,
                .lda       = 2,
                .ldb       = 2,
                .ldc       = 2};
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "not aligned to the 8 bytes"));
    g.c    = p + 1024;
    g.rung = "wide";
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_UNAVAILABLE);
    assert_non_null(strstr(ww_device_error(device), "wide has no kernel for int64 results"));
    g.rung = "long";
    g.type = WW_I32;
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_UNAVAILABLE);
    WwSyrk s = {.type = WW_I32_I64, .n = 2, .k = 2, .alpha.i64 = 1, .a = p, .c = p + 1024, .lda = 2, .ldc = 2};
    assert_works(ww_syrk_workspace(blas, &s, &need));
    assert_int_equal(need, 0);
    s.a_array = &p;
    assert_int_equal(ww_syrk(blas, &s), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "both a_array"));
    assert_works(ww_free(device, p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gemm), cmocka_unit_test(syrk), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
