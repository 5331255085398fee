/* SPDX-License-Identifier: Apache-2.0
 *
 * What the matrix library refuses, before anything runs, and what it says. */
#include "blas_fixture.h"

#include <stdio.h>

#include "blas/blas.h"

static WwPtr  memory;
static WwGemm good;
static WwSyrk good_syrk;

static int set_up(void **state)
{
    if (open_blas(state) != 0 || ww_alloc(device, 1 << 16, &memory) != WW_OK)
        return -1;
    good      = (WwGemm){.m         = 4,
                         .n         = 5,
                         .k         = 6,
                         .alpha.f32 = 1,
                         .a         = memory,
                         .b         = memory + 1024,
                         .c         = memory + 4096,
                         .lda       = 6,
                         .ldb       = 5,
                         .ldc       = 5};
    good_syrk = (WwSyrk){.n = 4, .k = 6, .alpha.f32 = 1, .a = memory, .c = memory + 4096, .lda = 6, .ldc = 4};
    return ww_fill(device, memory, 0, 1 << 16) == WW_OK ? 0 : -1;
}

static void refuse(const WwGemm *p, WwStatus status, const char *part)
{
    WwStatus s = ww_gemm(blas, p);
    if (s != status || !strstr(ww_device_error(device), part))
        fail_msg("status %d, \"%s\" instead of %d with \"%s\"", (int)s, ww_device_error(device), (int)status, part);
}

#define REFUSE(part, ...)                                                                                              \
    do {                                                                                                               \
        WwGemm p = good;                                                                                               \
        __VA_ARGS__;                                                                                                   \
        refuse(&p, WW_ERR_INVALID, part);                                                                              \
    } while (0)

static void gemm(void **state)
{
    (void)state;
    assert_works(ww_gemm(blas, &good));
    REFUSE("a is a null pointer", p.a = 0);
    REFUSE("b is a null pointer", p.b = 0);
    REFUSE("c is a null pointer", p.c = 0);
    REFUSE("not aligned", p.a += 2);
    REFUSE("lda = 5 is less than the 6", p.lda = 5);
    REFUSE("lda = 3 is less than the 4", p.trans_a = true, p.lda = 3);
    REFUSE("ldb = 4 is less than the 5", p.ldb = 4);
    REFUSE("ldc = 0 is less", p.ldc = 0);
    REFUSE("ldc = 3 is less than the 4", p.layout = WW_COLUMN_MAJOR, p.lda = p.ldb = 6, p.ldc = 3);
    REFUSE("m = 2000000000 is more", p.m = 2000000000);
    REFUSE("a ends past the last address with lda = 18446744073709551615", p.lda = SIZE_MAX);
    REFUSE("past the last address", p.lda = SIZE_MAX / 16 + 1);
    REFUSE("b ends past the last address with ldb = 5 and stride_b = 18446744073709551608 in a batch of 2", p.batch = 2,
           p.stride_c = 64, p.stride_b = SIZE_MAX - 7);
    if (!getenv("WW_TEST_DEVICE")) { /* the emulator knows its allocations */
        REFUSE("b has 6 x 5 elements with ldb = 5, 120 bytes from 0x", p.b = memory + (1 << 16) - 116);
        REFUSE("c has 4 x 5 elements with ldc = 7000", p.ldc = 7000);
        REFUSE("a has 4 x 6 elements", p.batch = 3, p.stride_c = 64, p.stride_a = 10000);
    }
    REFUSE("type 77", p.type = (WwType)77);
    REFUSE("layout 3", p.layout = (WwLayout)3);
    REFUSE("batch", p.batch = SIZE_MAX);
    REFUSE("overlap", p.batch = 2, p.stride_c = 3);
    REFUSE("overlap", p.batch = 3, p.ldc = 15, p.stride_c = 4);
    REFUSE("overlap", p.batch = 5, p.ldc = 12, p.stride_c = 6); /* the third begins in the first one's second row */
    REFUSE("c begins where a does", p.c = p.a);
    REFUSE("c begins where b does", p.c = p.b);
    REFUSE("all of a_array", p.a_array = &memory);
    WwPtr large;
    assert_works(ww_alloc(device, 64 << 20, &large));
    REFUSE("65536 blocks are more than one grid can have", p.rung = "naive", p.n = p.ldb = p.ldc = 16 * 65535 + 1,
           p.b = large, p.c = large + (32 << 20));
    assert_works(ww_free(device, large));
    WwGemm p = good;
    p.rung   = "widest";
    refuse(&p, WW_ERR_NOT_FOUND, "there are: naive, coalesced");
    static const char *const splits[] = {"middle:0", "middle:9", "middle:136", "middle:8x", "wide:2", "middle:"};
    for (size_t i = 0; i < sizeof splits / sizeof *splits; i++) {
        p.rung = splits[i];
        refuse(&p, WW_ERR_NOT_FOUND, "middle[:N]");
        refuse(&p, WW_ERR_NOT_FOUND, "1 to 8 or a multiple of 8 up to 128");
    }
    assert_int_equal(ww_gemm(NULL, &good), WW_ERR_INVALID);
    assert_int_equal(ww_gemm(blas, NULL), WW_ERR_INVALID);
}

/* What looks wrong and is not. */
static void allowed(void **state)
{
    WwPtr  at[3][2] = {{memory, memory}, {memory + 1024, memory + 1024}, {memory + 4096, memory + 8192}};
    WwGemm p        = good;
    (void)state;
    p.batch    = 3; /* the results' rows lie between each other's */
    p.ldc      = 15;
    p.stride_c = 5;
    assert_works(ww_gemm(blas, &p));
    p         = good;
    p.alpha   = (WwScalar){0}; /* a is not read */
    p.c       = p.a;
    p.a_array = p.b_array = p.c_array = NULL;
    assert_works(ww_gemm(blas, &p));
    p         = good; /* one row has no next one */
    p.trans_a = true;
    p.k       = 1;
    p.lda = p.ldb = (size_t)1 << 40;
    p.rung        = "tensor";
    (void)works_if_built(ww_gemm(blas, &p));
    p          = good; /* strides mean nothing beside addresses */
    p.batch    = 2;
    p.a_array  = at[0];
    p.b_array  = at[1];
    p.c_array  = at[2];
    p.stride_a = p.stride_b = p.stride_c = SIZE_MAX;
    assert_works(ww_gemm(blas, &p));
    p.c_array = at[1];
    refuse(&p, WW_ERR_INVALID, "c begins where b does");
}

/* Nothing to write: no pointer is looked at. */
static void empty(void **state)
{
    WwGemm p = good;
    (void)state;
    p.m = 0;
    p.a = p.b = p.c = 0;
    assert_works(ww_gemm(blas, &p));
    p   = good;
    p.k = 0;
    p.a = p.b = 0;
    assert_works(ww_gemm(blas, &p));
    WwSyrk s = good_syrk;
    s.n      = 0;
    s.a = s.c = 0;
    assert_works(ww_syrk(blas, &s));
}

static void syrk(void **state)
{
    (void)state;
    assert_works(ww_syrk(blas, &good_syrk));
    WwSyrk p = good_syrk;
    p.fill   = (WwFill)9;
    assert_int_equal(ww_syrk(blas, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "fill 9"));
    p     = good_syrk;
    p.lda = 5;
    assert_int_equal(ww_syrk(blas, &p), WW_ERR_INVALID);
    p   = good_syrk;
    p.c = p.a;
    assert_int_equal(ww_syrk(blas, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "c begins where a does"));
    p       = good_syrk;
    p.batch = 2;
    assert_int_equal(ww_syrk(blas, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "overlap"));
    p      = good_syrk;
    p.rung = "wide";
    assert_int_equal(ww_syrk(blas, &p), WW_ERR_NOT_FOUND);
    assert_int_equal(ww_syrk(NULL, &good_syrk), WW_ERR_INVALID);
}

static void queries(void **state)
{
    const char *rung = NULL;
    size_t      need = 1;
    (void)state;
    assert_works(ww_gemm_rung(blas, &good, &rung));
    assert_non_null(
        strstr("small row col little flat brief brief_wide", rung)); /* one of those with tiles for so little */
    assert_works(ww_gemm_workspace(blas, &good, &need));
    assert_int_equal(need, 0);
    WwGemm none = good; /* of nothing, or no products: nothing to share out */
    none.rung   = "stream";
    none.k      = 0;
    assert_works(ww_gemm_rung(blas, &none, &rung));
    assert_string_equal(rung, "wide");
    none.k = good.k;
    none.m = 0;
    assert_works(ww_gemm_workspace(blas, &none, &need));
    assert_int_equal(need, 0);
    none.m = good.m;
    assert_works(ww_gemm_workspace(blas, &none, &need));
    assert_true(need > 0);
    assert_works(ww_syrk_rung(blas, &good_syrk, &rung));
    assert_non_null(rung_find("aat", rung));
    assert_null(ww_blas_rung("gemm", 1000));
    assert_null(ww_blas_rung("no such ladder", 0));
    assert_string_equal(ww_blas_rung("gemm", 0), "naive");
}

/* What the model chooses where the fastest is far ahead (docs/data/tune_h200.tsv.bz2): a long k is shared out, flat and thin shapes get
 * tiles of their form, large ones the large tiles. */
static void choices(void **state)
{
    static const struct {
        size_t      m, n, k;
        bool        ta, tb;
        const char *among;
    } cases[]          = {{64, 64, 4355, false, false, "little:6 little:8 little:16 little:32"},
                          {27, 64, 7168, false, true, "little:16 little:32 row:16"},
                          {1024, 1024, 1024, false, false, "even_large comb weave weave_thin weave_slim"},
                          {1920, 1280, 1024, false, false, "fit"},
                          {6592, 2058, 7599, false, false, "flow even even_large"},
                          {4096, 4096, 4096, false, false, "flow even_large"},
                          {8192, 8192, 8192, false, true, "flow"},
                          {6731, 719, 19, false, false, "brief brief_wide"},
                          {6088, 64, 8148, false, true, "weave even_high"},
                          {31, 7242, 4873, false, true, "weave_thin"},
                          {4475, 84, 7552, false, false, "weave_slim"},
                          {64, 3904, 1344, false, true, "comb:2 comb:3 comb:4 comb:5"},
                          {4096, 4096, 32, false, false, "sheet brief_wide"},
                          {2048, 4096, 16, false, true, "sheet brief_wide"},
                          {4096, 4096, 33, false, false, "brief_wide"},
                          {8191, 8191, 31, false, false, "brief_wide"},
                          {600, 600, 24, false, false, "little middle small flat thin slim brief"},
                          {709, 3313, 266, true, true, "brief brief_wide fit"},
                          {7104, 192, 55, false, true, "brief"}};
    const unsigned sms = blas->sms;
    (void)state;
    if (!blas_built("gemm_tensor_f32"))
        skip();
    blas->sms = 132;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WwGemm p         = good;
        p.trans_a        = cases[i].ta;
        p.trans_b        = cases[i].tb;
        p.m              = cases[i].m;
        p.n              = cases[i].n;
        p.k              = cases[i].k;
        p.lda            = p.trans_a ? p.m : p.k;
        p.ldb            = p.trans_b ? p.k : p.n;
        p.ldc            = p.n;
        const char *rung = NULL;
        assert_works(ww_gemm_rung(blas, &p, &rung));
        for (int again = 0; again < 2; again++) { /* the second time it is remembered */
            const char *at = strstr(cases[i].among, rung);
            size_t      n  = strlen(rung);
            if (!at || (at[n] && at[n] != ' '))
                fail_msg("%zu x %zu x %zu: %s, not one of %s", p.m, p.n, p.k, rung, cases[i].among);
            assert_works(ww_gemm_rung(blas, &p, &rung));
        }
    }
    blas->sms = sms;
}

/* What is remembered of one shape is not answered for another. */
static void remembered(void **state)
{
    enum { SHAPES = 3000 };
    static char first[SHAPES][32];
    const char *rung = NULL;
    (void)state;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < SHAPES; i++) {
            WwGemm p = good;
            p.n = p.ldb = p.ldc = i % 2 ? 64 : 300;
            p.k = p.lda = 1 + i * 3;
            if (pass == 0)
                memset(blas->choice, 0, sizeof blas->choice);
            assert_works(ww_gemm_rung(blas, &p, &rung));
            if (pass == 0)
                snprintf(first[i], sizeof first[i], "%s", rung);
            else
                assert_string_equal(rung, first[i]);
        }
}

/* On a GPU of any size, for every rung of the model and any number of blocks: no less time than the multiplications take. */
static void every_time(void **state)
{
    static const size_t sizes[] = {1, 100, 5000};
    const unsigned      sms     = blas->sms;
    Problem             p;
    (void)state;
    for (blas->sms = 1; blas->sms <= 512; blas->sms *= 8)
        for (size_t i = 0; i < 9; i++) {
            WwGemm g = good;
            g.m      = sizes[i % 3];
            g.k = g.lda = sizes[i / 3];
            assert_works(problem_of_gemm(blas, &g, false, &p));
            for (size_t r = 0; ww_blas_rung("gemm", r); r++) {
                p.rung = rung_find("gemm", ww_blas_rung("gemm", r));
                for (p.split = 1; p.split <= rung_splits(p.rung); p.split = rung_more_splits(p.split)) {
                    double us = predict_us(blas, &p), least = (double)(g.m * g.n * g.k) / (128 * 1980.0 * blas->sms);
                    if (us && !(us >= least && us < 1e8))
                        fail_msg("%s:%u on %u multiprocessors: %g us", p.rung->name, p.split, blas->sms, us);
                }
            }
        }
    blas->sms = sms;
}

/* The same of A * A^T (docs/data/tune_aat_h200.tsv.bz2). */
static void symmetric_choices(void **state)
{
    static const struct {
        size_t      n, k;
        const char *rung;
    } cases[] = {{1024, 1024, "weave"}, {4096, 4096, "flow"}, {8192, 8192, "flow"},     {64, 5201, "little:32"},
                 {8192, 32, "skinny"},  {711, 26, "brief"},   {7566, 104, "brief_wide"}};
    const unsigned sms = blas->sms;
    (void)state;
    if (!blas_built("aat_flow_f32"))
        skip();
    blas->sms = 132;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        WwSyrk p = good_syrk;
        p.n = p.ldc = cases[i].n;
        p.k = p.lda      = cases[i].k;
        const char *rung = NULL;
        assert_works(ww_syrk_rung(blas, &p, &rung));
        assert_string_equal(rung, cases[i].rung);
    }
    blas->sms = sms;
}

static const char *syrk_rung(const WwSyrk *p)
{
    const char *rung = NULL;
    assert_works(ww_syrk_rung(blas, p, &rung));
    return rung;
}

/* A large whole int32 result is a product on the tensor cores; a triangle, one with beta, a small one and one whose rung is named are not. */
static void whole_integers(void **state)
{
    enum { N = 2048, K = 1024, AT = 97 };
    (void)state;
    if (!blas_built("gemm_bytes_i32"))
        skip();
    WwSyrk p = {.type = WW_I32, .n = N, .k = K, .alpha.i32 = 1, .a = good_syrk.a, .c = good_syrk.c, .lda = K, .ldc = N},
           q = p;
    assert_string_equal(syrk_rung(&p), "bytes");
    q.fill = WW_LOWER;
    assert_string_not_equal(syrk_rung(&q), "bytes");
    q          = p;
    q.beta.i32 = 1;
    assert_string_not_equal(syrk_rung(&q), "bytes");
    q   = p;
    q.n = q.ldc = N - 1;
    assert_string_not_equal(syrk_rung(&q), "bytes");
    q      = p;
    q.rung = "twice";
    assert_string_equal(syrk_rung(&q), "twice");
    int32_t *a = malloc((size_t)N * K * 4), *c = malloc((size_t)N * N * 4);
    for (size_t i = 0; i < (size_t)N * K; i++)
        a[i] = (int32_t)(i * 2654435761u ^ i >> 7);
    assert_works(ww_alloc(device, (size_t)N * K * 4, &p.a));
    assert_works(ww_alloc(device, (size_t)N * N * 4, &p.c));
    assert_works(ww_copy_in(device, p.a, a, (size_t)N * K * 4));
    assert_works(ww_fill(device, p.c, 0x5a, (size_t)N * N * 4));
    assert_works(ww_syrk(blas, &p));
    assert_works(ww_copy_out(device, c, p.c, (size_t)N * N * 4));
    for (size_t i = 0; i < N; i += AT)
        for (size_t j = 0; j < N; j += AT) {
            uint32_t sum = 0;
            for (size_t l = 0; l < K; l++)
                sum += (uint32_t)a[i * K + l] * (uint32_t)a[j * K + l];
            assert_int_equal((uint32_t)c[i * N + j], sum);
        }
    assert_works(ww_free(device, p.a));
    assert_works(ww_free(device, p.c));
    free(a);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm),          cmocka_unit_test(allowed),    cmocka_unit_test(empty),
        cmocka_unit_test(syrk),          cmocka_unit_test(queries),    cmocka_unit_test(choices),
        cmocka_unit_test(remembered),    cmocka_unit_test(every_time), cmocka_unit_test(symmetric_choices),
        cmocka_unit_test(whole_integers)};
    return cmocka_run_group_tests(tests, set_up, close_blas);
}
