/* SPDX-License-Identifier: Apache-2.0
 *
 * ww_gemm on the emulator: every rung, both types, every layout and transposition, odd shapes, leading dimensions and
 * alignments, alpha and beta, batches; and that beta = 0 and alpha = 0 read nothing. */
#include "blas_fixture.h"

#include "blas/blas.h"
#include "share.h"

typedef struct Case {
    WwType   type;
    WwLayout layout;
    bool     ta, tb;
    size_t   m, n, k, extra, shift;
    WwScalar alpha, beta;
} Case;

static WwScalar scalar(WwType type, double v)
{
    return type == WW_I32 ? (WwScalar){.i32 = (int32_t)v} : (WwScalar){.f32 = (float)v};
}

static double value(WwType type, WwScalar s)
{
    return type == WW_I32 ? s.i32 : (double)s.f32;
}

typedef struct Operands {
    Mat       a, b, c;
    uint32_t *old;
} Operands;

static Operands make(const Case *t, uint64_t *seed)
{
    bool     cm = t->layout == WW_COLUMN_MAJOR;
    Operands o  = {mat_new(t->ta ? t->k : t->m, t->ta ? t->m : t->k, t->extra, cm, t->shift),
                   mat_new(t->tb ? t->n : t->k, t->tb ? t->k : t->n, t->extra, cm, t->shift),
                   mat_new(t->m, t->n, t->extra, cm, t->shift), NULL};
    mat_random(&o.a, t->type, seed);
    mat_random(&o.b, t->type, seed);
    mat_random(&o.c, t->type, seed);
    if (value(t->type, t->beta) == 0) { /* NaN, so that an element that is read or not written shows */
        memset(o.c.v, 0xff, o.c.words * 4);
        mat_put(&o.c);
    }
    o.old = malloc(o.c.words * 4 + 4);
    memcpy(o.old, o.c.v, o.c.words * 4);
    return o;
}

static void release(Operands *o)
{
    mat_free(&o->a);
    mat_free(&o->b);
    mat_free(&o->c);
    free(o->old);
}

static WwGemm problem(const Case *t, const Operands *o, const char *rung)
{
    return (WwGemm){.type    = t->type,
                    .layout  = t->layout,
                    .trans_a = t->ta,
                    .trans_b = t->tb,
                    .m       = t->m,
                    .n       = t->n,
                    .k       = t->k,
                    .alpha   = t->alpha,
                    .beta    = t->beta,
                    .a       = o->a.p,
                    .b       = o->b.p,
                    .c       = o->c.p,
                    .lda     = o->a.ld,
                    .ldb     = o->b.ld,
                    .ldc     = o->c.ld,
                    .rung    = rung};
}

/* terms: more of them than k, as far as the bound goes. */
static void expect_near(const Case *t, Operands *o, size_t terms)
{
    double alpha = value(t->type, t->alpha), beta = value(t->type, t->beta);
    mat_get(&o->c);
    for (size_t i = 0; i < t->m; i++)
        for (size_t j = 0; j < t->n; j++) {
            double   sum = 0, all = 0;
            uint32_t whole = 0, old = o->old[mat_at(&o->c, i, j)];
            for (size_t l = 0; l < t->k && alpha != 0; l++) {
                uint32_t x = o->a.v[t->ta ? mat_at(&o->a, l, i) : mat_at(&o->a, i, l)];
                uint32_t y = o->b.v[t->tb ? mat_at(&o->b, j, l) : mat_at(&o->b, l, j)];
                whole += x * y;
                sum += (double)as_float(x) * (double)as_float(y);
                all += fabs((double)as_float(x) * (double)as_float(y));
            }
            double kept = beta != 0 ? beta * (double)as_float(old) : 0;
            expect_element(t->type, o->c.v[mat_at(&o->c, i, j)], alpha * sum + kept, fabs(alpha) * all + fabs(kept),
                           (uint32_t)t->alpha.i32 * whole + (beta != 0 ? (uint32_t)t->beta.i32 * old : 0),
                           t->k + terms);
        }
    /* What lies between the rows is nobody's business. */
    for (size_t w = 0; w < o->c.words; w++)
        if (w % o->c.ld >= o->c.ld - t->extra)
            assert_int_equal(o->c.v[w], o->old[w]);
}

static void expect_product(const Case *t, Operands *o)
{
    expect_near(t, o, 0);
}

static void run(const Case *t, const char *rung, uint64_t seed)
{
    enum {
        SPLIT = 5
    }; /* a float as two fp16 is off by up to 2^-23 of it, and the product of the lower two, 2^-24 of a term, is left out: 5/4 2^-22 */
    if (share_skips())
        return;
    Operands o = make(t, &seed);
    WwGemm   p = problem(t, &o, rung);
    Status   s = ww_gemm_workspace(blas, &p, &p.workspace_bytes);
    if (s == WW_OK && p.workspace_bytes && seed & 1) /* in a workspace with not a byte more */
        assert_works(ww_alloc(device, p.workspace_bytes, &p.workspace));
    if (works_if_built(ww_gemm(blas, &p)))
        expect_near(t, &o, rung && strcmp(rung, "split") == 0 ? SPLIT : 0);
    if (p.workspace)
        assert_works(ww_free(device, p.workspace));
    release(&o);
}

/* Every rung x type x layout x transposition, at shapes with and without remainders. */
static void every_rung(void **state)
{
    static const size_t shape[][3] = {{1, 1, 1}, {61, 67, 19}, {132, 68, 24}};
    uint64_t            seed       = 1;
    (void)state;
    for (size_t r = 0; ww_blas_rung("gemm", r); r++)
        for (unsigned how = 0; how < 16; how++)
            for (size_t s = 0; s < sizeof shape / sizeof *shape; s++) {
                WwType type = how & 1 ? WW_I32 : WW_F32;
                Case   t    = {type,
                          how & 2 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                               how & 4,
                               how & 8,
                               shape[s][0],
                               shape[s][1],
                               shape[s][2],
                          s == 1 ? 3 : 0,
                               s == 1,
                               scalar(type, s == 1 ? -2 : 1),
                               scalar(type, s == 1 ? 3 : 0)};
                run(&t, ww_blas_rung("gemm", r), next_bits(&seed));
            }
}

/* The library's own choice on shapes from 0 to about 70. */
static void sampled_shapes(void **state)
{
    static const size_t size[] = {0, 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 33, 47, 61, 64, 65, 71};
    enum { SIZES = sizeof size / sizeof *size };
    uint64_t seed = 2;
    (void)state;
    for (int i = 0; i < 60; i++) {
        WwType type = next_below(&seed, 2) ? WW_I32 : WW_F32;
        Case   t    = {type,
                  next_below(&seed, 2) ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                       next_below(&seed, 2),
                       next_below(&seed, 2),
                       size[next_below(&seed, SIZES)],
                       size[next_below(&seed, SIZES)],
                       size[next_below(&seed, SIZES)],
                       next_below(&seed, 5),
                       next_below(&seed, 4),
                       scalar(type, (double)next_below(&seed, 4) - 1),
                       scalar(type, (double)next_below(&seed, 3) - 1)};
        run(&t, NULL, next_bits(&seed));
    }
}

/* Several blocks share a tile and the same call gives the same bits. */
static void stream_shares(void **state)
{
    Case     t    = {WW_F32, WW_ROW_MAJOR, false, false, 129, 130, 333, 0, 0, {.f32 = 1}, {.f32 = 0}};
    uint64_t seed = 3;
    Operands o    = make(&t, &seed);
    WwGemm   p    = problem(&t, &o, "stream");
    size_t   need = 0;
    (void)state;
    assert_works(ww_gemm_workspace(blas, &p, &need));
    assert_true(need > 2 * 128 * 128 * 4);
    assert_works(ww_gemm(blas, &p));
    expect_product(&t, &o);
    uint32_t *first = malloc(o.c.words * 4);
    memcpy(first, o.c.v, o.c.words * 4);
    assert_works(ww_gemm(blas, &p));
    mat_get(&o.c);
    assert_memory_equal(first, o.c.v, o.c.words * 4);
    /* the counters are cleared once, and again when a launch failed; an operand that is none is refused before */
    assert_true(blas->zeroed);
    WwPtr a = p.a;
    p.a     = UINT64_C(0x7f0000000000);
    if (!getenv("WW_TEST_DEVICE")) { /* a fault ends a GPU's context */
        const DeviceOps *ops   = device->ops;
        DeviceOps        blind = *ops; /* does not know its allocations, as a GPU */
        assert_int_equal(ww_gemm(blas, &p), WW_ERR_INVALID);
        assert_true(blas->zeroed);
        blind.holds = NULL;
        device->ops = &blind;
        assert_int_equal(ww_gemm(blas, &p), WW_ERR_FAULT);
        device->ops = ops;
        assert_false(blas->zeroed);
    }
    p.a = a;
    assert_works(ww_gemm(blas, &p));
    mat_get(&o.c);
    assert_memory_equal(first, o.c.v, o.c.words * 4);
    free(first);
    /* a workspace of the caller's */
    assert_works(ww_alloc(device, need, &p.workspace));
    p.workspace_bytes = need;
    assert_works(ww_gemm(blas, &p));
    p.workspace_bytes = need - 1;
    assert_int_equal(ww_gemm(blas, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "workspace"));
    assert_works(ww_free(device, p.workspace));
    release(&o);
}

/* Shares that end within a slice, X turned or drawn, rows of C aligned or not. */
static void even_shares(void **state)
{
    static const char *const rungs[] = {"even", "even_high", "even_large"};
    (void)state;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (size_t odd = 0; odd < 2; odd++) {
            Case t = {WW_F32, WW_ROW_MAJOR, false, false, 200, 260 + odd, 1000 - odd * 3, 0, 0, {.f32 = 2}, {.f32 = 1}};
            run(&t, rungs[r], 5);
        }
}

/* Tiles that go on from slice to slice of one ring, more than there are multiprocessors, with as many slices as the ring has, fewer and one; X turned
 * or k rows, edges, rows of C aligned or not, and integers. */
static void whole_tiles(void **state)
{
    static const size_t depth[] = {100, 40, 32, 7};
    (void)state;
    for (size_t d = 0; d < sizeof depth / sizeof *depth; d++)
        for (unsigned how = 0; how < 8; how++) {
            WwType type = how & 4 ? WW_I32 : WW_F32;
            Case   t    = {type, WW_ROW_MAJOR,    how & 1,        false, 250, 324 + (how >> 1 & 1), depth[d], 0,
                           0,    scalar(type, 2), scalar(type, 1)};
            run(&t, "fit", 5 + how);
        }
    Case many = {WW_F32, WW_ROW_MAJOR, false, false, 1450, 1930, 36, 0, 0, {.f32 = 1}, {.f32 = 0}};
    run(&many, "fit", 3);
}

/* A long k over few tiles: the model's choice shares k out in a cluster, and every run gives the same bits. */
static void cluster_shares(void **state)
{
    Case        t    = {WW_F32, WW_ROW_MAJOR, true, false, 70, 131, 2100, 0, 0, {.f32 = 2}, {.f32 = 1}};
    uint64_t    seed = 8;
    Operands    o    = make(&t, &seed);
    WwGemm      p    = problem(&t, &o, NULL);
    const char *rung = NULL;
    (void)state;
    assert_works(ww_gemm_rung(blas, &p, &rung));
    const Rung *plain = rung_find("gemm", rung); /* NULL: shared out, "name:blocks" */
    if (!plain || plain->layouts == RUNG_TENSOR)
        assert_non_null(strchr(rung, ':'));
    assert_works(ww_gemm(blas, &p));
    expect_product(&t, &o);
    uint32_t *first = malloc(o.c.words * 4);
    memcpy(first, o.c.v, o.c.words * 4);
    memcpy(o.c.v, o.old, o.c.words * 4);
    mat_put(&o.c);
    assert_works(ww_gemm(blas, &p));
    mat_get(&o.c);
    assert_memory_equal(first, o.c.v, o.c.words * 4);
    free(first);
    release(&o);
}

static void expect_rung(WwType type, size_t m, size_t n, size_t k, const char *rung)
{
    Case     t    = {type, WW_ROW_MAJOR, true, false, m, n, k, 1, 0, scalar(type, 2), scalar(type, -1)};
    uint64_t seed = 9;
    Operands o    = make(&t, &seed);
    WwGemm   p    = problem(&t, &o, rung);
    Status   s    = ww_gemm(blas, &p);
    if (s != WW_ERR_UNAVAILABLE) { /* of this build */
        assert_works(s);
        expect_product(&t, &o);
    }
    release(&o);
}

/* k shared out among more blocks than a cluster has: a second kernel adds up. */
static void parts_are_added(void **state)
{
    static const char *const rungs[] = {"middle:16", "middle:64", "thin:16", "slim:32", "row:128",
                                        "col:3",     "comb:5",    "comb:24", "little:7"};
    (void)state;
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        expect_rung(WW_F32, 67, 70, 1100, rungs[i]);
        expect_rung(WW_I32, 67, 3, 1100, rungs[i]);
    }
    expect_rung(WW_I32, 5, 7, 20, "middle:16"); /* most parts have no slice */
    expect_rung(WW_I32, 5, 7, 0, "middle:16");
}

/* The last round of tiles has fewer slices than there are blocks. */
static void fewer_slices_than_blocks(void **state)
{
    unsigned sms = blas->sms;
    (void)state;
    blas->sms = 5;
    expect_rung(WW_I32, 128 * 5 + 1, 40, 33, "tensor");
    expect_rung(WW_F32, 128 * 5 + 1, 40, 33, "stream");
    blas->sms = sms;
}

static void batches(void **state)
{
    enum { BATCH = 3, M = 33, N = 20, K = 12 };
    Case     t    = {WW_I32, WW_ROW_MAJOR, false, false, M * BATCH, N, K, 0, 0, {.i32 = 1}, {.i32 = 0}};
    uint64_t seed = 4;
    Operands o    = make(&t, &seed);
    WwGemm   p    = problem(&t, &o, NULL); /* one B for all: the batch is the tall product */
    (void)state;
    p.m        = M;
    p.batch    = BATCH;
    p.stride_a = M * K;
    p.stride_c = M * N;
    assert_works(ww_gemm(blas, &p));
    expect_product(&t, &o);
    memset(o.c.v, 0xff, o.c.words * 4);
    mat_put(&o.c);
    WwPtr a[BATCH], b[BATCH], c[BATCH];
    for (size_t i = 0; i < BATCH; i++) {
        a[i] = o.a.p + i * M * K * 4;
        b[i] = o.b.p;
        c[i] = o.c.p + i * M * N * 4;
    }
    p.a_array = a;
    p.b_array = b;
    p.c_array = c;
    p.rung    = "stream";
    assert_works(ww_gemm(blas, &p));
    expect_product(&t, &o);
    release(&o);
}

/* The second matrix of a batch begins where no vector does, though the first one is aligned. */
static void odd_strides(void **state)
{
    enum { M = 64, N = 64, K = 32 };
    static const char *const rungs[] = {"wide", "small", "tensor", "little", "sheet", "naive"};
    (void)state;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (unsigned odd = 0; odd < 3; odd++) {
            Case     t    = {WW_I32, WW_ROW_MAJOR, false, false, M, N, K, 0, 0, {.i32 = 1}, {.i32 = 0}};
            uint64_t seed = 30 + odd;
            Operands o    = make(&t, &seed);
            WwPtr    all;
            size_t   words[] = {M * K, K * N, M * N}, stride[] = {M * K, K * N, M * N};
            stride[odd] += 1;
            WwPtr at[3];
            assert_works(ww_alloc(device, 4 * 2 * (M * K + K * N + M * N + 4), &all));
            for (size_t i = 0; i < 3; i++) {
                const Mat *from = i == 0 ? &o.a : i == 1 ? &o.b : &o.c;
                at[i]           = i == 0 ? all : (at[i - 1] + (stride[i - 1] + words[i - 1]) * 4 + 15) / 16 * 16;
                for (size_t z = 0; z < 2 && i < 2; z++)
                    assert_works(ww_copy(device, at[i] + z * stride[i] * 4, from->p, words[i] * 4));
            }
            WwGemm p   = problem(&t, &o, rungs[r]);
            p.a        = at[0];
            p.b        = at[1];
            p.c        = at[2];
            p.batch    = 2;
            p.stride_a = stride[0];
            p.stride_b = stride[1];
            p.stride_c = stride[2];
            if (works_if_built(ww_gemm(blas, &p))) {
                assert_works(ww_copy(device, o.c.p, at[2] + stride[2] * 4, M * N * 4));
                expect_product(&t, &o);
            }
            assert_works(ww_free(device, all));
            release(&o);
        }
}

/* Every way in which the kernels for a short k take its steps and leave a tile: parts of a panel or slice, whole ones, several; whole tiles
 * and edges, aligned and not, with and without beta. */
static void short_k(void **state)
{
    static const size_t ks[]         = {0, 1, 3, 4, 16, 17, 31, 32, 33, 68, 95},
                        sides[][2]   = {{64, 128}, {68, 132}, {63, 130}, {3, 5}};
    static const char *const rungs[] = {"sheet", "brief", "brief_wide"};
    uint64_t                 seed    = 21;
    (void)state;
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++)
        for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
            for (unsigned how = 0; how < 8; how++) {
                WwType type = (how + i) % 2 ? WW_I32 : WW_F32;
                Case   t    = {type,
                          (i + s) % 2 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                               how & 1,
                               how & 2,
                               sides[s][0],
                               sides[s][1],
                               ks[i],
                               0,
                               0,
                               scalar(type, how & 4 ? 2 : 1),
                               scalar(type, how & 4 ? 3 : 0)};
                for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
                    run(&t, rungs[r], next_bits(&seed));
            }
}

/* Side by side: the rows of one result lie between those of the others, as heads of attention do. */
static void interleaved(void **state)
{
    enum { BATCH = 3, M = 33, N = 20, K = 12 };
    static const char *const rungs[] = {NULL, "wide", "tensor", "little", "naive"};
    Case                     t    = {WW_F32, WW_ROW_MAJOR, false, false, M, N * BATCH, K, 0, 0, {.f32 = 1}, {.f32 = 2}};
    uint64_t                 seed = 14;
    Operands                 o    = make(&t, &seed);
    (void)state;
    for (size_t i = 0; i < sizeof rungs / sizeof *rungs; i++) {
        WwGemm p   = problem(&t, &o, rungs[i]);
        p.n        = N;
        p.batch    = BATCH;
        p.stride_b = p.stride_c = N;
        mat_put(&o.c);
        if (works_if_built(ww_gemm(blas, &p)))
            expect_product(&t, &o);
        memcpy(o.c.v, o.old, o.c.words * 4);
    }
    release(&o);
}

/* NaN and infinity of the operands arrive where they belong, and only there. */
static void not_a_number(void **state)
{
    for (size_t r = 0; ww_blas_rung("gemm", r); r++) {
        Case     t                  = {WW_F32, WW_ROW_MAJOR, false, false, 37, 41, 23, 0, 0, {.f32 = 1}, {.f32 = 0}};
        uint64_t seed               = 5;
        Operands o                  = make(&t, &seed);
        WwGemm   p                  = problem(&t, &o, ww_blas_rung("gemm", r));
        o.a.v[mat_at(&o.a, 36, 22)] = as_bits(NAN);
        o.a.v[mat_at(&o.a, 3, 0)]   = as_bits(INFINITY);
        mat_put(&o.a);
        bool built = works_if_built(ww_gemm(blas, &p));
        mat_get(&o.c);
        for (size_t i = 0; i < t.m && built; i++)
            for (size_t j = 0; j < t.n; j++) {
                float v = as_float(o.c.v[mat_at(&o.c, i, j)]);
                assert_true(i == 36 ? isnan(v) : i == 3 ? isinf(v) : isfinite(v));
            }
        release(&o);
    }
    (void)state;
}

/* alpha = 0: operands need not even exist. */
static void alpha_zero(void **state)
{
    Case     t    = {WW_F32, WW_ROW_MAJOR, false, false, 9, 10, 11, 0, 0, {.f32 = 0}, {.f32 = 2}};
    uint64_t seed = 6;
    Operands o    = make(&t, &seed);
    (void)state;
    for (size_t r = 0; ww_blas_rung("gemm", r); r++) {
        WwGemm p = problem(&t, &o, ww_blas_rung("gemm", r));
        p.a = p.b = 0;
        memcpy(o.c.v, o.old, o.c.words * 4);
        mat_put(&o.c);
        if (works_if_built(ww_gemm(blas, &p)))
            expect_product(&t, &o);
    }
    release(&o);
}

/* k = 0: the sum of no products is zero, and alpha has nothing to scale. */
static void no_products(void **state)
{
    Case     t    = {WW_F32, WW_ROW_MAJOR, false, false, 9, 10, 0, 0, 0, {.f32 = NAN}, {.f32 = 2}};
    uint64_t seed = 15;
    Operands o    = make(&t, &seed);
    (void)state;
    for (size_t r = 0; ww_blas_rung("gemm", r); r++) {
        WwGemm p = problem(&t, &o, ww_blas_rung("gemm", r));
        mat_put(&o.c);
        if (!works_if_built(ww_gemm(blas, &p)))
            continue;
        mat_get(&o.c);
        for (size_t i = 0; i < o.c.words; i++)
            assert_true(as_float(o.c.v[i]) == 2 * as_float(o.old[i]));
        memcpy(o.c.v, o.old, o.c.words * 4);
    }
    release(&o);
}

/* The same bits on a stream, whose calls need not wait; and streams that cannot be taken. */
static void streams(void **state)
{
    static const char *const rungs[] = {"wide", "stream", "tensor", "flow", NULL};
    Case                     t       = {WW_F32, WW_ROW_MAJOR, false, true, 140, 70, 300, 0, 0, {.f32 = 1}, {.f32 = 1}};
    uint64_t                 seed    = 7;
    Operands                 o       = make(&t, &seed);
    WwStream                *one = NULL, *two = NULL;
    uint32_t                *first = malloc(o.c.words * 4);
    (void)state;
    assert_works(ww_stream_open(device, NULL, &one));
    assert_works(ww_stream_open(device, NULL, &two));
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++) {
        WwGemm p = problem(&t, &o, rungs[r]);
        mat_put(&o.c);
        assert_works(ww_blas_stream(blas, NULL));
        if (!works_if_built(ww_gemm(blas, &p)) || !works_if_built(ww_gemm(blas, &p)))
            continue;
        mat_get(&o.c);
        memcpy(first, o.c.v, o.c.words * 4);
        memcpy(o.c.v, o.old, o.c.words * 4);
        mat_put(&o.c);
        assert_works(ww_blas_stream(blas, one));
        assert_works(ww_gemm(blas, &p)); /* the second adds to the first */
        assert_works(ww_blas_stream(blas, two));
        assert_works(ww_gemm(blas, &p));
        assert_works(ww_blas_leave(blas)); /* what was left on `two` is waited for by whoever comes next */
        assert_null(blas->stream);
        assert_works(ww_blas_stream(blas, r % 2 ? one : NULL));
        assert_works(ww_blas_leave(blas));
        assert_works(ww_stream_wait(two));
        mat_get(&o.c);
        assert_memory_equal(first, o.c.v, o.c.words * 4);
        memcpy(o.c.v, o.old, o.c.words * 4);
    }
    assert_works(ww_blas_stream(blas, NULL));
    assert_int_equal(ww_blas_stream(NULL, one), WW_ERR_INVALID);
    WwDevice *other = NULL;
    WwStream *far   = NULL;
    assert_int_equal(ww_device_open("emulator", NULL, &other, NULL), WW_OK);
    assert_int_equal(ww_stream_open(other, NULL, &far), WW_OK);
    assert_int_equal(ww_blas_stream(blas, far), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "another device"));
    ww_stream_close(far);
    assert_int_equal(ww_stream_open(other, first, &far), WW_ERR_INVALID);
    assert_null(far);
    assert_non_null(strstr(ww_device_error(other), "native"));
    ww_device_close(other);
    ww_stream_close(one);
    ww_stream_close(two);
    free(first);
    release(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_rung),     cmocka_unit_test(short_k),         cmocka_unit_test(sampled_shapes),
        cmocka_unit_test(stream_shares),  cmocka_unit_test(even_shares),     cmocka_unit_test(whole_tiles),
        cmocka_unit_test(cluster_shares), cmocka_unit_test(parts_are_added), cmocka_unit_test(fewer_slices_than_blocks),
        cmocka_unit_test(odd_strides),    cmocka_unit_test(batches),         cmocka_unit_test(not_a_number),
        cmocka_unit_test(alpha_zero),     cmocka_unit_test(interleaved),     cmocka_unit_test(no_products),
        cmocka_unit_test(streams),
    };
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
