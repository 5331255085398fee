/* SPDX-License-Identifier: Apache-2.0
 *
 * Float products on the tensor cores: every layout within a fifth of float arithmetic's bound; rows of very different sizes; operands that two halves cannot
 * hold, infinities and NaN, which float arithmetic must compute, and the word that tells; when the rung is chosen. */
#include "blas_fixture.h"

enum { EXACT = 1, TENSOR = 0 };

typedef struct Case {
    WwLayout layout;
    bool     ta, tb;
    size_t   m, n, k, extra, shift;
    float    alpha, beta;
} Case;

static uint32_t read_told(WwPtr at)
{
    uint32_t told = 77;
    assert_works(ww_copy_out(device, &told, at, 4));
    return told;
}

static Mat mat_of(const Case *t, size_t rows, size_t cols, bool trans)
{
    return trans ? mat_new(cols, rows, t->extra, t->layout == WW_COLUMN_MAJOR, t->shift)
                 : mat_new(rows, cols, t->extra, t->layout == WW_COLUMN_MAJOR, t->shift);
}

static double value(const Mat *m, bool trans, size_t i, size_t j)
{
    return (double)as_float(m->v[trans ? mat_at(m, j, i) : mat_at(m, i, j)]);
}

/* Within units * 2^-24 * (|alpha| |A||B| + |beta C|); not finite where the sum is not. */
static void expect(const Case *t, const Mat *a, const Mat *b, const Mat *old, const Mat *c, double units)
{
    for (size_t i = 0; i < t->m; i++)
        for (size_t j = 0; j < t->n; j++) {
            double sum = 0, sizes = 0, got = value(c, false, i, j);
            for (size_t l = 0; l < t->k; l++) {
                double x = value(a, t->ta, i, l) * value(b, t->tb, l, j);
                sum += x;
                sizes += fabs(x);
            }
            double was  = t->beta != 0 ? (double)t->beta * value(old, false, i, j) : 0,
                   want = (double)t->alpha * sum + was;
            double tol  = units * 0x1p-24 * (fabs((double)t->alpha) * sizes + fabs(was) + fabs(want));
            if (isnan(want) ? !isnan(got) : isinf(want) ? got != want : !(fabs(got - want) <= tol))
                fail_msg("(%zu, %zu) of %zu x %zu x %zu is %.9g, not %.9g within %.3g", i, j, t->m, t->n, t->k, got,
                         want, tol);
        }
}

/* made: changes the operands before. */
static void run(const Case *t, void (*made)(Mat *a, Mat *b), uint32_t told, double units, uint64_t *seed)
{
    Mat   a = mat_of(t, t->m, t->k, t->ta), b = mat_of(t, t->k, t->n, t->tb), c = mat_of(t, t->m, t->n, false), old = c;
    WwPtr word;
    mat_random(&a, WW_F32, seed);
    mat_random(&b, WW_F32, seed);
    mat_random(&c, WW_F32, seed);
    if (made) {
        made(&a, &b);
        mat_put(&a);
        mat_put(&b);
    }
    old.v = malloc(c.words * 4 + 4);
    memcpy(old.v, c.v, c.words * 4);
    assert_works(ww_alloc(device, 4, &word));
    WwGemm p = {.type      = WW_F32,
                .layout    = t->layout,
                .trans_a   = t->ta,
                .trans_b   = t->tb,
                .m         = t->m,
                .n         = t->n,
                .k         = t->k,
                .alpha.f32 = t->alpha,
                .beta.f32  = t->beta,
                .a         = a.p,
                .b         = b.p,
                .c         = c.p,
                .lda       = a.ld,
                .ldb       = b.ld,
                .ldc       = c.ld,
                .told      = word,
                .rung      = "split"};
    if (works_if_built(ww_gemm(blas, &p))) {
        mat_get(&c);
        assert_int_equal(read_told(word), told);
        expect(t, &a, &b, &old, &c, units);
        uint32_t *first = malloc(c.words * 4 + 4);
        memcpy(first, c.v, c.words * 4);
        memcpy(c.v, old.v, c.words * 4);
        mat_put(&c);
        assert_works(ww_gemm(blas, &p));
        mat_get(&c);
        assert_memory_equal(first, c.v, c.words * 4);
        free(first);
    }
    assert_works(ww_free(device, word));
    free(old.v);
    mat_free(&a);
    mat_free(&b);
    mat_free(&c);
}

static void layouts(void **state)
{
    uint64_t seed = 3;
    (void)state;
    for (unsigned how = 0; how < 8; how++) {
        Case t = {how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                  how & 2,
                  how & 4,
                  136,
                  150,
                  200,
                  how % 3,
                  how % 2,
                  how & 1 ? 1 : -0.5f,
                  how & 2 ? 2.0f : 0};
        run(&t, NULL, TENSOR, 4, &seed);
    }
}

/* More than a pair of tiles, k shared out. */
static void shares_k(void **state)
{
    uint64_t seed = 5;
    Case     t    = {WW_ROW_MAJOR, false, false, 300, 140, 600, 4, 0, 1, 0};
    (void)state;
    run(&t, NULL, TENSOR, 4, &seed);
}

/* Rows of A and columns of B of any size: the powers of two take them up. */
static void scale_rows(Mat *a, Mat *b)
{
    for (size_t i = 0; i < a->rows; i++)
        for (size_t l = 0; l < a->cols; l++)
            a->v[mat_at(a, i, l)] = as_bits(ldexpf(as_float(a->v[mat_at(a, i, l)]), (int)(i % 90) - 60));
    for (size_t l = 0; l < b->rows; l++)
        for (size_t j = 0; j < b->cols; j++)
            b->v[mat_at(b, l, j)] = as_bits(ldexpf(as_float(b->v[mat_at(b, l, j)]), (int)(j % 70) - 20));
}

/* Along k: two halves cannot hold both ends. */
static void scale_terms(Mat *a, Mat *b)
{
    for (size_t i = 0; i < a->rows; i++)
        for (size_t l = 0; l < a->cols; l++)
            a->v[mat_at(a, i, l)] = as_bits(ldexpf(as_float(a->v[mat_at(a, i, l)]), (int)l % 50 - 25));
    for (size_t l = 0; l < b->rows; l++)
        for (size_t j = 0; j < b->cols; j++)
            b->v[mat_at(b, l, j)] = as_bits(ldexpf(as_float(b->v[mat_at(b, l, j)]), 25 - (int)l % 50));
}

static void not_finite(Mat *a, Mat *b)
{
    a->v[mat_at(a, 5, 7)]  = as_bits(INFINITY);
    b->v[mat_at(b, 11, 3)] = as_bits(NAN);
}

static void tiny(Mat *a, Mat *b)
{
    (void)b;
    for (size_t l = 0; l < a->cols; l++)
        a->v[mat_at(a, 2, l)] = as_bits(0x1p-130f * (float)(l + 1));
}

static void ones_and_zeros(Mat *a, Mat *b)
{
    for (size_t i = 0; i < a->words; i++)
        a->v[i] = i % 3 ? 0 : as_bits(1);
    for (size_t i = 0; i < b->words; i++)
        b->v[i] = i % 5 ? 0 : as_bits(-3);
}

static void ranges(void **state)
{
    uint64_t seed = 7;
    Case     t    = {WW_ROW_MAJOR, false, false, 140, 130, 128, 0, 0, 1, 0};
    (void)state;
    run(&t, scale_rows, TENSOR, 4, &seed);
    run(&t, scale_terms, EXACT, 128 + 3, &seed);
    run(&t, not_finite, EXACT, 128 + 3, &seed);
    run(&t, tiny, EXACT, 0x1p24, &seed);
    run(&t, ones_and_zeros, TENSOR, 1, &seed); /* many zeros, but nothing that loses bits */
}

/* A * A^T: both halves the same bits, one triangle with the other one left alone. */
static void symmetric(void **state)
{
    uint64_t seed = 11;
    (void)state;
    for (unsigned how = 0; how < 12; how++) {
        Case t = {how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                  how & 2,
                  false,
                  how & 1 ? 150 : 300,
                  0,
                  200,
                  how % 3,
                  how % 2,
                  how & 4 ? 1 : -0.5f,
                  how % 5 ? 0 : 2.0f};
        WwFill fill = (WwFill)(how % 3);
        t.n         = t.m;
        Mat a = mat_of(&t, t.m, t.k, t.ta), c = mat_of(&t, t.m, t.m, false), b = a, old = c;
        mat_random(&a, WW_F32, &seed);
        mat_random(&c, WW_F32, &seed);
        bool exact = how > 8; /* and what two halves cannot hold */
        for (size_t i = 0; i < (exact ? t.m : 0); i++)
            for (size_t l = 0; l < t.k; l++) {
                uint32_t *v = a.v + (t.ta ? mat_at(&a, l, i) : mat_at(&a, i, l));
                *v          = as_bits(ldexpf(as_float(*v), (int)l % 50 - 25));
            }
        mat_put(&a);
        b     = a;
        old.v = malloc(c.words * 4 + 4);
        memcpy(old.v, c.v, c.words * 4);
        WwPtr word;
        assert_works(ww_alloc(device, 4, &word));
        WwSyrk p = {.type      = WW_F32,
                    .layout    = t.layout,
                    .fill      = fill,
                    .trans     = t.ta,
                    .n         = t.m,
                    .k         = t.k,
                    .alpha.f32 = t.alpha,
                    .beta.f32  = t.beta,
                    .a         = a.p,
                    .c         = c.p,
                    .lda       = a.ld,
                    .ldc       = c.ld,
                    .told      = word,
                    .rung      = "split"};
        if (works_if_built(ww_syrk(blas, &p))) {
            mat_get(&c);
            assert_int_equal(read_told(word), exact ? EXACT : TENSOR);
            for (size_t i = 0; i < t.m; i++)
                for (size_t j = 0; j < t.m; j++) {
                    bool     lower = i >= j;
                    uint32_t got = c.v[mat_at(&c, i, j)], was = old.v[mat_at(&c, i, j)];
                    if (fill == WW_FULL && !lower) { /* beta reads the lower half */
                        assert_int_equal(got, c.v[mat_at(&c, j, i)]);
                        old.v[mat_at(&c, i, j)] = old.v[mat_at(&c, j, i)];
                    } else if (fill != WW_FULL && i != j && lower != (fill == WW_LOWER)) {
                        assert_int_equal(got, was);
                        c.v[mat_at(&c, i, j)]   = c.v[mat_at(&c, j, i)]; /* the written one, for expect */
                        old.v[mat_at(&c, i, j)] = old.v[mat_at(&c, j, i)];
                    }
                }
            Case whole = t;
            whole.tb   = !t.ta;
            expect(&whole, &a, &b, &old, &c, exact ? (double)t.k + 3 : 4);
        }
        assert_works(ww_free(device, word));
        free(old.v);
        mat_free(&a);
        mat_free(&c);
    }
}

static void chosen(void **state)
{
    WwGemm      p    = {.type      = WW_F32,
                        .precision = WW_TENSOR,
                        .m         = 4096,
                        .n         = 4096,
                        .k         = 4096,
                        .alpha.f32 = 1,
                        .lda       = 4096,
                        .ldb       = 4096,
                        .ldc       = 4096};
    const char *rung = NULL;
    WwPtr       word;
    (void)state;
    p.a = 1 << 20;
    p.b = 2 << 20;
    p.c = 3 << 20;
    assert_works(ww_gemm_rung(blas, &p, &rung));
    if (strcmp(rung, "split") != 0)
        print_message("skipped: split was not built, chosen is %s\n", rung);
    p.m = p.n = p.k = 128;
    assert_works(ww_gemm_rung(blas, &p, &rung));
    assert_string_not_equal(rung, "split");
    p.precision = WW_EXACT;
    p.m = p.n = p.k = 4096;
    assert_works(ww_gemm_rung(blas, &p, &rung));
    assert_string_not_equal(rung, "split");
    p.precision = (WwPrecision)9;
    assert_int_equal(ww_gemm_rung(blas, &p, &rung), WW_ERR_INVALID);
    assert_string_equal(ww_device_error(device), "ww_gemm: precision 9 is neither WW_EXACT nor WW_TENSOR");
    WwSyrk s = {.type      = WW_F32,
                .precision = WW_TENSOR,
                .n         = 4096,
                .k         = 4096,
                .alpha.f32 = 1,
                .a         = p.a,
                .c         = p.c,
                .lda       = 4096,
                .ldc       = 4096};
    assert_works(ww_syrk_rung(blas, &s, &rung));
    if (strcmp(rung, "split") != 0)
        print_message("skipped: split was not built, chosen is %s\n", rung);
    s.precision = WW_EXACT;
    assert_works(ww_syrk_rung(blas, &s, &rung));
    assert_string_not_equal(rung, "split");
    s.told = 2;
    assert_int_equal(ww_syrk_rung(blas, &s, &rung), WW_ERR_INVALID);
    assert_string_equal(ww_device_error(device), "ww_syrk: told = 0x2 is not aligned to a word");
    /* Float arithmetic tells, too. */
    assert_works(ww_alloc(device, 1024, &word));
    p   = (WwGemm){.type      = WW_F32,
                   .precision = WW_TENSOR,
                   .m         = 2,
                   .n         = 2,
                   .k         = 2,
                   .alpha.f32 = 1,
                   .lda       = 2,
                   .ldb       = 2,
                   .ldc       = 2,
                   .told      = word + 512};
    p.a = p.b = word;
    p.c       = word + 256;
    assert_works(ww_fill(device, word, 0, 1024));
    assert_works(ww_gemm(blas, &p));
    assert_int_not_equal(read_told(p.told), 0);
    assert_works(ww_free(device, word));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(layouts, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(shares_k, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(ranges, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(symmetric, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(chosen, open_blas, close_blas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
