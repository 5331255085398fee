/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of doubles: every rung, layout, transposition and fill, batches, within the bound of double arithmetic and, by residues, of what
 * kernels/long/5_residues.cu promises; nothing outside of C written; operands that residues cannot hold, infinities and NaN, which double arithmetic must
 * compute, and the word that tells; which rung is chosen, and what is refused. */
#include "blas_fixture.h"

enum { EXACT = 1, TENSOR = 0 };

typedef struct Doubles { /* `batch` matrices of `lines` of `length`, ld apart, gaps poisoned */
    size_t  lines, length, ld, stride, words, shift;
    double *v;
    WwPtr   base, p;
} Doubles;

static double next_double(uint64_t *seed)
{
    return ldexp((double)next_bits(seed), -31) + ldexp((double)next_bits(seed), -63) - 1;
}

static Doubles doubles_new(size_t lines, size_t length, size_t extra, size_t batch, size_t shift, uint64_t *seed)
{
    Doubles d = {lines, length, length + extra, 0, 0, shift, NULL, 0, 0};
    d.ld      = d.ld ? d.ld : 1;
    d.stride  = lines * d.ld;
    d.words   = lines && length ? d.stride * batch - (d.ld - length) : 0;
    d.v       = malloc((d.words + 1) * sizeof *d.v);
    for (size_t i = 0; i < d.words; i++)
        d.v[i] = i % d.ld < length ? next_double(seed) : NAN;
    assert_works(ww_alloc(device, (d.words + shift + 1) * sizeof *d.v, &d.base));
    d.p = d.base + shift * sizeof *d.v;
    return d;
}

static void doubles_put(const Doubles *d)
{
    if (d->words)
        assert_works(ww_copy_in(device, d->p, d->v, d->words * sizeof *d->v));
}

static void doubles_get(const Doubles *d, double *to)
{
    if (d->words)
        assert_works(ww_copy_out(device, to, d->p, d->words * sizeof *d->v));
}

static void doubles_free(Doubles *d)
{
    assert_works(ww_free(device, d->base));
    free(d->v);
}

typedef struct Case {
    const char *rung;
    bool        cm, ta, tb;
    size_t      m, n, k, batch, extra, shift;
    double      alpha, beta;
    double      units; /* error in 2^-53 of the sizes, besides rounding */
    uint32_t    told;
} Case;

static size_t at(const Case *t, const Doubles *d, bool trans, size_t z, size_t i, size_t j)
{
    bool along = trans == t->cm; /* lines are rows */
    return z * d->stride + (along ? i * d->ld + j : j * d->ld + i);
}

static void expect(const Case *t, const Doubles *a, const Doubles *b, const Doubles *c, const double *got, size_t z,
                   size_t i, size_t j)
{
    long double sum = 0, sizes = 0;
    for (size_t l = 0; l < t->k; l++) {
        long double x = (long double)a->v[at(t, a, t->ta, z, i, l)] * (long double)b->v[at(t, b, t->tb, z, l, j)];
        sum += x;
        sizes += fabsl(x);
    }
    long double was  = t->beta != 0 ? (long double)t->beta * (long double)c->v[at(t, c, false, z, i, j)] : 0;
    long double want = (t->k && t->alpha != 0 ? (long double)t->alpha * sum : 0) + was,
                have = got[at(t, c, false, z, i, j)];
    long double tol  = (t->units * fabsl((long double)t->alpha) * sizes + 3 * (fabsl(was) + fabsl(want))) * 0x1p-53L;
    if (isnan(want) ? !isnan(have) : isinf(want) ? have != want : !(fabsl(have - want) <= tol))
        fail_msg("%s: (%zu, %zu) of problem %zu of %zu x %zu x %zu is %.17Lg, not %.17Lg within %.3Lg",
                 t->rung ? t->rung : "auto", i, j, z, t->m, t->n, t->k, have, want, tol);
}

static WwGemm gemm_of(const Case *t, const Doubles *a, const Doubles *b, const Doubles *c, WwPtr told)
{
    return (WwGemm){.type      = WW_F64,
                    .layout    = t->cm ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                    .trans_a   = t->ta,
                    .trans_b   = t->tb,
                    .m         = t->m,
                    .n         = t->n,
                    .k         = t->k,
                    .alpha.f64 = t->alpha,
                    .beta.f64  = t->beta,
                    .a         = a->p,
                    .b         = b->p,
                    .c         = c->p,
                    .lda       = a->ld,
                    .ldb       = b->ld,
                    .ldc       = c->ld,
                    .batch     = t->batch,
                    .stride_a  = a->stride,
                    .stride_b  = b->stride,
                    .stride_c  = c->stride,
                    .told      = told,
                    .rung      = t->rung};
}

/* made: changes the operands before. */
static void run(const Case *t, void (*made)(const Case *t, Doubles *a, Doubles *b), uint64_t *seed)
{
    size_t  batch = t->batch ? t->batch : 1;
    Doubles a     = doubles_new(t->ta == t->cm ? t->m : t->k, t->ta == t->cm ? t->k : t->m, t->extra, batch, t->shift,
                            seed),
            b     = doubles_new(t->tb == t->cm ? t->k : t->n, t->tb == t->cm ? t->n : t->k, t->extra, batch, 0, seed),
            c     = doubles_new(t->cm ? t->n : t->m, t->cm ? t->m : t->n, t->extra, batch, t->shift, seed);
    double *got = malloc((c.words + 1) * sizeof *got), *again = malloc((c.words + 1) * sizeof *again);
    WwPtr   word;
    assert_works(ww_alloc(device, 4, &word));
    if (made)
        made(t, &a, &b);
    for (size_t i = 0; t->beta == 0 && i < c.words; i++) /* must not be read */
        c.v[i] = NAN;
    doubles_put(&a);
    doubles_put(&b);
    doubles_put(&c);
    WwGemm p = gemm_of(t, &a, &b, &c, word);
    if (works_if_built(ww_gemm(blas, &p))) {
        uint32_t told = 77;
        doubles_get(&c, got);
        assert_works(ww_copy_out(device, &told, word, 4));
        assert_int_equal(told != 0, t->told);
        for (size_t z = 0; z < batch; z++)
            for (size_t i = 0; i < t->m; i++)
                for (size_t j = 0; j < t->n; j++)
                    expect(t, &a, &b, &c, got, z, i, j);
        for (size_t i = 0; i < c.words; i++)
            if (i % c.ld >= c.length)
                assert_true(isnan(got[i]));
        doubles_put(&c);
        assert_works(ww_gemm(blas, &p));
        doubles_get(&c, again);
        assert_memory_equal(got, again, c.words * sizeof *got);
    }
    assert_works(ww_free(device, word));
    free(got);
    free(again);
    doubles_free(&a);
    doubles_free(&b);
    doubles_free(&c);
}

static void gemm(void **state)
{
    static const size_t      shape[][3]  = {{1, 1, 1}, {61, 67, 19}, {64, 130, 16}, {130, 133, 49}, {5, 7, 0}};
    static const double      factor[][2] = {{1, 0}, {-0.3, 1.5}, {0, 2}, {1, 1}, {3, 0}};
    static const char *const rung[]      = {"double_plain", "double_warp", "double_little", "double", NULL};
    uint64_t                 seed        = 11;
    (void)state;
    for (unsigned how = 0; how < 8; how++)
        for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
            for (size_t r = 0; r < sizeof rung / sizeof *rung; r++) {
                const double *f = factor[(s + how) % 5];
                run(&(Case){rung[r], how & 1, how & 2, how & 4, shape[s][0], shape[s][1], shape[s][2], 0, (s + how) % 3,
                            how % 2, f[0], f[1], (double)shape[s][2] + 2, EXACT},
                    NULL, &seed);
            }
}

static void batches(void **state)
{
    static const char *const rung[] = {"double_plain", "double_little", "double"};
    uint64_t                 seed   = 12;
    (void)state;
    for (size_t r = 0; r < 3; r++)
        run(&(Case){rung[r], false, false, true, 70, 40, 33, 3, 1, 1, 2, -1, 40, EXACT}, NULL, &seed);
}

static void syrk(void **state)
{
    static const char *const rung[] = {"double_plain", "double_little", "double", NULL};
    uint64_t                 seed   = 13;
    (void)state;
    for (unsigned how = 0; how < 12; how++)
        for (size_t r = 0; r < 4; r++) {
            bool    trans = how & 1, cm = how & 2;
            WwFill  fill = (WwFill)(how / 4);
            Case    t    = {rung[r], cm, trans, !trans, 141, 141, 37, 0, how % 2, 0, 0.7, how % 3 ? 0.5 : 0, 39, 0};
            Doubles a    = doubles_new(trans == cm ? t.n : t.k, trans == cm ? t.k : t.n, t.extra, 1, 0, &seed),
                    c    = doubles_new(t.n, t.n, t.extra, 1, 0, &seed);
            double *got  = malloc((c.words + 1) * sizeof *got);
            doubles_put(&a);
            doubles_put(&c);
            if (works_if_built(ww_syrk(blas, &(WwSyrk){.type      = WW_F64,
                                                       .layout    = cm ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                                                       .fill      = fill,
                                                       .trans     = trans,
                                                       .n         = t.n,
                                                       .k         = t.k,
                                                       .alpha.f64 = t.alpha,
                                                       .beta.f64  = t.beta,
                                                       .a         = a.p,
                                                       .c         = c.p,
                                                       .lda       = a.ld,
                                                       .ldc       = c.ld,
                                                       .rung      = t.rung}))) {
                doubles_get(&c, got);
                for (size_t i = 0; i < t.n; i++)
                    for (size_t j = 0; j < t.n; j++) {
                        size_t here = at(&t, &c, false, 0, i, j), there = at(&t, &c, false, 0, j, i);
                        bool   lower = i >= j;
                        if (fill == WW_FULL && !lower)
                            assert_true(got[here] == got[there]);
                        else if (fill == WW_FULL || (fill == WW_LOWER) == lower || i == j)
                            expect(&t, &a, &a, &c, got, 0, i, j);
                        else
                            assert_true(got[here] == c.v[here]);
                    }
            }
            free(got);
            doubles_free(&a);
            doubles_free(&c);
        }
}

/* ---- by residues ---------------------------------------------------------------------------------------------------- */

static const double by_residues = 16; /* far below 42 sqrt(k): these numbers' sizes are alike */

static void residues(void **state)
{
    uint64_t seed = 14;
    (void)state;
    for (unsigned how = 0; how < 8; how++)
        run(&(Case){"residues", how & 1, how & 2, how & 4, 136, 263, 200 + how, 0, how % 3, how % 2, how & 1 ? 1 : -0.5,
                    how & 2 ? 2.0 : 0, by_residues, TENSOR},
            NULL, &seed);
}

static void one_of_each(void **state)
{
    uint64_t seed = 15;
    (void)state;
    run(&(Case){"residues", false, false, false, 1, 1, 128, 0, 0, 0, 1, 0, by_residues, TENSOR}, NULL, &seed);
    run(&(Case){"residues", false, false, false, 300, 5, 129, 0, 0, 0, 1, 0, by_residues, TENSOR}, NULL, &seed);
    run(&(Case){"residues", false, false, false, 100, 263, 129, 0, 0, 0, 1, 0, by_residues, TENSOR}, NULL, &seed);
    run(&(Case){"residues", false, false, false, 3, 3, 0, 0, 0, 0, 1, 0, by_residues, EXACT}, NULL, &seed);
}

/* Rows of A and columns of B of any size: the powers of two take them up.  One row is zero. */
static void scale_rows(const Case *t, Doubles *a, Doubles *b)
{
    for (size_t l = 0; l < t->k; l++) {
        for (size_t i = 0; i < t->m; i++) {
            double *v = &a->v[at(t, a, t->ta, 0, i, l)];
            *v        = i == 3 ? 0 : ldexp(*v, (int)(i * 5) - 350);
        }
        for (size_t j = 0; j < t->n; j++) {
            double *v = &b->v[at(t, b, t->tb, 0, l, j)];
            *v        = ldexp(*v, (int)(j * 4) - 200);
        }
    }
}

/* Integers at the ends of what 51 bits hold, all of one sign: sums as large as half of the moduli's product allows. */
static void ends_of_range(const Case *t, Doubles *a, Doubles *b)
{
    for (size_t l = 0; l < t->k; l++) {
        for (size_t i = 0; i < t->m; i++)
            a->v[at(t, a, t->ta, 0, i, l)] = (i % 2 ? -1 : 1) * (0x1p53 - 1 - (double)(l % 3));
        for (size_t j = 0; j < t->n; j++)
            b->v[at(t, b, t->tb, 0, l, j)] = (j % 3 ? -1 : 1) * (0x1p53 - 1 - (double)(l % 5));
    }
}

static void scales(void **state)
{
    uint64_t seed = 16;
    (void)state;
    run(&(Case){"residues", false, false, true, 140, 130, 256, 0, 0, 0, 1, 0, by_residues, TENSOR}, scale_rows, &seed);
    run(&(Case){"residues", true, true, true, 20, 30, 2048, 0, 0, 0, 1, 1, by_residues, TENSOR}, ends_of_range, &seed);
}

/* Along k: rounding to the largest one's scale loses what decides the sum. */
static void scale_terms(const Case *t, Doubles *a, Doubles *b)
{
    for (size_t l = 0; l < t->k; l++) {
        for (size_t i = 0; i < t->m; i++) {
            double *v = &a->v[at(t, a, t->ta, 0, i, l)];
            *v        = ldexp(*v, (int)(l % 60));
        }
        for (size_t j = 0; j < t->n; j++) {
            double *v = &b->v[at(t, b, t->tb, 0, l, j)];
            *v        = ldexp(*v, -(int)(l % 60));
        }
    }
}

static void one_infinity(const Case *t, Doubles *a, Doubles *b)
{
    (void)b;
    a->v[at(t, a, t->ta, 0, 1, 2)] = INFINITY;
}

static void one_nan(const Case *t, Doubles *a, Doubles *b)
{
    (void)a;
    b->v[at(t, b, t->tb, 0, 5, 1)] = NAN;
}

static void one_huge(const Case *t, Doubles *a, Doubles *b)
{
    (void)b;
    a->v[at(t, a, t->ta, 0, 0, 0)] = 0x1p500;
}

static void falls_back(void **state)
{
    static void (*const made[])(const Case *, Doubles *, Doubles *) = {scale_terms, one_infinity, one_nan, one_huge};
    uint64_t seed                                                   = 17;
    (void)state;
    for (size_t i = 0; i < 4; i++)
        run(&(Case){"residues", i % 2, false, false, 70, 65, 180, 0, 0, 0, 1, i % 2 ? 0 : 1, 182, EXACT}, made[i],
            &seed);
}

/* ---- the choice, refusals ------------------------------------------------------------------------------------------- */

static const char *chosen(size_t n, WwPrecision precision)
{
    const char *rung = NULL;
    assert_works(ww_gemm_rung(blas,
                              &(WwGemm){.type      = WW_F64,
                                        .m         = n,
                                        .n         = n,
                                        .k         = n,
                                        .alpha.f64 = 1,
                                        .a         = 1 << 20,
                                        .b         = 2 << 20,
                                        .c         = 3 << 20,
                                        .lda       = n,
                                        .ldb       = n,
                                        .ldc       = n,
                                        .precision = precision},
                              &rung));
    return rung;
}

static void choice(void **state)
{
    (void)state;
    bool can = ww_gemm_workspace(blas,
                                 &(WwGemm){.type      = WW_F64,
                                           .m         = 1,
                                           .n         = 1,
                                           .k         = 1,
                                           .alpha.f64 = 1,
                                           .a         = 8,
                                           .b         = 16,
                                           .c         = 24,
                                           .lda       = 1,
                                           .ldb       = 1,
                                           .ldc       = 1,
                                           .rung      = "residues"},
                                 NULL) == WW_OK;
    if (!can) {
        print_message("skipped: %s\n", ww_device_error(device));
        return;
    }
    assert_string_equal(chosen(8192, WW_EXACT), "double");
    assert_string_equal(chosen(512, WW_EXACT), "double_little");
    assert_string_equal(chosen(512, WW_TENSOR), "double_little");
    assert_string_equal(chosen(16384, WW_TENSOR), "residues");
}

static void refused(void **state)
{
    WwGemm p = {
        .type = WW_F64, .m = 1, .n = 1, .k = 1, .alpha.f64 = 1, .a = 8, .b = 16, .c = 24, .lda = 1, .ldb = 1, .ldc = 1};
    (void)state;
    p.activation = WW_RELU;
    assert_int_equal(ww_gemm_workspace(blas, &p, NULL), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "not for double"));
    p.activation = WW_NO_ACTIVATION;
    p.scale_a    = 64;
    assert_int_equal(ww_gemm_workspace(blas, &p, NULL), WW_ERR_INVALID);
    p.scale_a = 0;
    p.c       = 28; /* not aligned to an element */
    assert_int_equal(ww_gemm_workspace(blas, &p, NULL), WW_ERR_INVALID);
    p.c    = 24;
    p.rung = "wide";
    assert_int_equal(ww_gemm_workspace(blas, &p, NULL), WW_ERR_UNAVAILABLE);
    p.type = WW_F32;
    p.rung = "residues";
    assert_int_equal(ww_gemm_workspace(blas, &p, NULL), WW_ERR_UNAVAILABLE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gemm),       cmocka_unit_test(batches),     cmocka_unit_test(syrk),
        cmocka_unit_test(residues),   cmocka_unit_test(one_of_each), cmocka_unit_test(scales),
        cmocka_unit_test(falls_back), cmocka_unit_test(choice),      cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
