/* SPDX-License-Identifier: Apache-2.0
 *
 * ww_syrk on the emulator: every rung, type, layout, fill and transposition.  The whole result is the same bits in both
 * halves; what the fill does not name is not touched; with beta only the named triangle (for the whole result the lower one)
 * is read: the other one holds NaN. */
#include "blas_fixture.h"
#include "share.h"

typedef struct Case {
    WwType   type;
    WwLayout layout;
    WwFill   fill;
    bool     trans, beta;
    size_t   n, k, extra, shift;
} Case;

static bool written(WwFill fill, size_t i, size_t j)
{
    return fill == WW_FULL || i == j || (fill == WW_LOWER) == (i > j);
}

static bool kept(WwFill fill, size_t i, size_t j)
{
    return fill == WW_FULL ? i >= j : written(fill, i, j);
}

static void expect_element_of(const Case *t, const Mat *a, const Mat *c, const uint32_t *old, size_t i, size_t j)
{
    double   sum = 0, all = 0;
    uint32_t whole = 0, got = c->v[mat_at(c, i, j)];
    if (!written(t->fill, i, j)) {
        assert_int_equal(got, old[mat_at(c, i, j)]);
        return;
    }
    for (size_t l = 0; l < t->k; l++) {
        uint32_t x = a->v[t->trans ? mat_at(a, l, i) : mat_at(a, i, l)],
                 y = a->v[t->trans ? mat_at(a, l, j) : mat_at(a, j, l)];
        whole += x * y;
        sum += (double)as_float(x) * (double)as_float(y);
        all += fabs((double)as_float(x) * (double)as_float(y));
    }
    uint32_t home = old[kept(t->fill, i, j) ? mat_at(c, i, j) : mat_at(c, j, i)];
    double   was  = t->beta ? 2 * (double)as_float(home) : 0;
    expect_element(t->type, got, 3 * sum + was, 3 * all + fabs(was), 3 * whole + (t->beta ? 2 * home : 0), t->k);
}

static void run(const Case *t, const char *rung, uint64_t seed)
{
    bool cm = t->layout == WW_COLUMN_MAJOR;
    if (share_skips())
        return;
    Mat a = mat_new(t->trans ? t->k : t->n, t->trans ? t->n : t->k, t->extra, cm, t->shift);
    Mat c = mat_new(t->n, t->n, t->extra, cm, t->shift);
    mat_random(&a, t->type, &seed);
    mat_random(&c, t->type, &seed);
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->n; j++)
            if (!t->beta || !kept(t->fill, i, j))
                c.v[mat_at(&c, i, j)] = 0xffffffffu;
    mat_put(&c);
    uint32_t *old = malloc(c.words * 4 + 4);
    memcpy(old, c.v, c.words * 4);
    WwSyrk p = {.type   = t->type,
                .layout = t->layout,
                .fill   = t->fill,
                .trans  = t->trans,
                .n      = t->n,
                .k      = t->k,
                .a      = a.p,
                .c      = c.p,
                .lda    = a.ld,
                .ldc    = c.ld,
                .rung   = rung};
    if (t->type == WW_I32)
        p.alpha.i32 = 3, p.beta.i32 = t->beta ? 2 : 0;
    else
        p.alpha.f32 = 3, p.beta.f32 = t->beta ? 2 : 0;
    bool built = works_if_built(ww_syrk(blas, &p));
    mat_get(&c);
    for (size_t i = 0; i < t->n && built; i++)
        for (size_t j = 0; j < t->n; j++) {
            expect_element_of(t, &a, &c, old, i, j);
            if (t->fill == WW_FULL)
                assert_int_equal(c.v[mat_at(&c, i, j)], c.v[mat_at(&c, j, i)]);
        }
    for (size_t w = 0; w < c.words; w++)
        if (w % c.ld >= c.ld - t->extra)
            assert_int_equal(c.v[w], old[w]);
    free(old);
    mat_free(&a);
    mat_free(&c);
}

static void every_rung(void **state)
{
    static const size_t shape[][2] = {{1, 3}, {67, 13}, {132, 8}, {260, 5}};
    uint64_t            seed       = 1;
    (void)state;
    for (size_t r = 0; ww_blas_rung("aat", r); r++)
        for (unsigned how = 0; how < 16; how++)
            for (int fill = WW_FULL; fill <= WW_UPPER; fill++)
                for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
                    if (s == 3 && how != (unsigned)fill + 8) /* one large case for each fill */
                        continue;
                    Case t = {how & 1 ? WW_I32 : WW_F32,
                              how & 2 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                              (WwFill)fill,
                              how & 4,
                              how & 8,
                              shape[s][0],
                              shape[s][1],
                              s == 1 ? 2 : 0,
                              s == 1 ? 3 : 0};
                    run(&t, ww_blas_rung("aat", r), next_bits(&seed));
                }
}

/* Every way in which the kernels for a short k take its steps: parts of a panel or slice, whole ones, several; whole tiles and edges, aligned
 * and not. */
static void short_k(void **state)
{
    static const size_t      ks[] = {1, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 65}, sides[] = {68, 130, 195};
    static const char *const rungs[] = {"skinny", "brief", "brief_wide"};
    uint64_t                 seed    = 4;
    (void)state;
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++)
        for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
            for (unsigned how = 0; how < 16; how++) {
                Case t = {how & 1 ? WW_I32 : WW_F32,
                          how & 2 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                          (WwFill)((how + i) % 3),
                          how & 4,
                          how & 8,
                          sides[s],
                          ks[i],
                          0,
                          0};
                run(&t, rungs[(i + s + how / 2) % 3], next_bits(&seed));
            }
}

/* k shared out among the blocks of a cluster, among clusters, and along tiles laid end to end: sums in many orders, the same in both halves. */
static void shared_k(void **state)
{
    static const char *const rungs[]    = {"little:2", "little:8", "little:16", "comb:2", "comb:3",   "comb:8",
                                           "comb:24",  "middle:4", "middle:6",  "weave",  "middle:32"};
    static const size_t      shape[][2] = {{33, 1100}, {130, 300}, {192, 97}, {257, 36}};
    uint64_t                 seed       = 5;
    (void)state;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
            for (unsigned how = 0; how < 8; how++) {
                Case t = {(r + s + how) % 4 == 0 ? WW_I32 : WW_F32,
                          how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                          (WwFill)((how / 2 + r + s) % 4 % 3),
                          how & 2,
                          how & 4,
                          shape[s][0],
                          shape[s][1],
                          (how + s) % 3,
                          (how + r) % 2 * 3};
                run(&t, rungs[r], next_bits(&seed));
            }
}

static void batch(void **state)
{
    enum { BATCH = 2, SIDE = 19, K = 4 };
    uint64_t seed = 2;
    Mat      a = mat_new(BATCH * SIDE, K, 0, false, 0), c = mat_new(BATCH * SIDE, SIDE, 0, false, 0);
    (void)state;
    mat_random(&a, WW_I32, &seed);
    WwSyrk p = {.type      = WW_I32,
                .n         = SIDE,
                .k         = K,
                .alpha.i32 = 1,
                .a         = a.p,
                .c         = c.p,
                .lda       = K,
                .ldc       = SIDE,
                .batch     = BATCH,
                .stride_a  = SIDE * K,
                .stride_c  = SIDE * SIDE};
    assert_works(ww_syrk(blas, &p));
    mat_get(&c);
    for (size_t i = 0; i < BATCH * SIDE; i++)
        for (size_t j = 0; j < SIDE; j++) {
            uint32_t sum = 0;
            for (size_t l = 0; l < K; l++)
                sum += a.v[mat_at(&a, i, l)] * a.v[mat_at(&a, i / SIDE * SIDE + j, l)];
            assert_int_equal(c.v[mat_at(&c, i, j)], sum);
        }
    mat_free(&a);
    mat_free(&c);
}

/* The walk over the triangle: groups of rows, k shared out, whole rounds and what is left of them; integers, so that any order of
 * sums gives the same bits. */
static void flow_walks(void **state)
{
    static const size_t shape[][2] = {{2100, 3}, {300, 100}, {4, 300}, {2950, 40}};
    uint64_t            seed       = 3;
    (void)state;
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
        size_t    n = shape[s][0], k = shape[s][1];
        Mat       a = mat_new(n, k, 0, false, 0), c = mat_new(n, n, 0, false, 0);
        uint32_t *want = malloc(c.words * 4);
        mat_random(&a, WW_I32, &seed);
        WwSyrk p = {
            .type = WW_I32, .n = n, .k = k, .alpha.i32 = 3, .a = a.p, .c = c.p, .lda = k, .ldc = n, .rung = "twice"};
        assert_works(ww_syrk(blas, &p));
        mat_get(&c);
        memcpy(want, c.v, c.words * 4);
        memset(c.v, 0xff, c.words * 4);
        mat_put(&c);
        p.rung = "flow";
        if (works_if_built(ww_syrk(blas, &p))) {
            mat_get(&c);
            assert_memory_equal(want, c.v, c.words * 4);
        }
        free(want);
        mat_free(&a);
        mat_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_rung), cmocka_unit_test(short_k),
                                       cmocka_unit_test(flow_walks), cmocka_unit_test(shared_k),
                                       cmocka_unit_test(batch)};
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
