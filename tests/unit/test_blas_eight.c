/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of fp8 (e4m3, e5m2): every layout, transposition, result type and fill, with and without scales, by every rung that takes them, against
 * sums in double; lines that begin anywhere; k shared out; products of no terms, which read no scale; NaN and infinities; batches, whose problems
 * have scales of their own; what is refused.  Results are poisoned before, and what lies between their lines must stay; the two halves of a
 * symmetric result have the same bits, and so have two runs. */
#include "blas_fixture.h"
#include "reference.h"

static const WwType types[]     = {WW_E4M3_F32, WW_E5M2_F32, WW_E4M3_BF16, WW_E5M2_BF16};
static const char  *rungs[]     = {"eight", "eight_narrow", "eight_slim", "eight_plain", NULL};
static const char  *aat_rungs[] = {"eight", "eight_narrow", "eight_plain", NULL};
static const float  factor[]    = {1, 0, -0.5f, 2};

static bool e4m3(WwType t)
{
    return t == WW_E4M3_F32 || t == WW_E4M3_BF16;
}

static size_t result_bytes(WwType t)
{
    return t == WW_E4M3_F32 || t == WW_E5M2_F32 ? 4 : 2;
}

static double eight_value(uint8_t b, bool four)
{
    int    e = four ? b >> 3 & 15 : b >> 2 & 31, m = four ? b & 7 : b & 3, bits = four ? 3 : 2, bias = four ? 7 : 15;
    double v = e ? ((1 << bits) + m) * two_to(e - bias - bits) : m * two_to(1 - bias - bits);
    if (four ? (b & 0x7f) == 0x7f : e == 31)
        v = four || m ? NAN : INFINITY;
    return b >> 7 ? -v : v;
}

typedef struct Case {
    WwType      type;
    WwLayout    layout;
    bool        ta, tb;
    size_t      m, n, k, extra, shift; /* elements between lines; bytes in front of an operand */
    float       alpha, beta;
    bool        scaled;
    const char *rung;
    size_t      batch;
} Case;

/* A matrix as stored, the last of `batch` ending with its allocation. */
typedef struct Stored {
    size_t   lines, length, ld, each, stride, count, shift;
    uint8_t *v;
    WwPtr    base, at;
} Stored;

static Stored stored_new(size_t lines, size_t length, size_t each, size_t extra, size_t shift, size_t batch)
{
    Stored s = {.lines = lines, .length = length, .ld = length + extra, .each = each, .shift = shift};
    s.stride = lines * s.ld;
    s.count  = (batch - 1) * s.stride + (lines - 1) * s.ld + length;
    s.v      = malloc(s.count * each);
    assert_works(ww_alloc(device, shift + s.count * each, &s.base));
    s.at = s.base + shift;
    return s;
}

static void stored_in(const Stored *s)
{
    assert_works(ww_copy_in(device, s->at, s->v, s->count * s->each));
}

static void stored_free(Stored *s)
{
    assert_works(ww_free(device, s->base));
    free(s->v);
}

/* Small numbers of both signs, with zeros; results: numbers that both types hold. */
static void stored_random(Stored *s, bool four, uint64_t *seed)
{
    for (size_t i = 0; i < s->count; i++) {
        uint32_t r = next_bits(seed);
        float    f = (float)(int)(r % 17) - 8;
        uint32_t u;
        memcpy(&u, &f, 4);
        if (s->each == 1)
            s->v[i] = (uint8_t)(r >> 8 & 15 ? ((four ? 0x30 : 0x38) + (r >> 12 & 15)) | (r >> 16 & 1) << 7 : 0);
        else if (s->each == 2)
            u >>= 16, memcpy(s->v + i * 2, &u, 2);
        else
            memcpy(s->v + i * 4, &u, 4);
    }
    stored_in(s);
}

static double at(const Stored *s, const uint8_t *v, size_t index, bool four)
{
    uint32_t u = 0;
    float    f;
    if (s->each == 1)
        return eight_value(v[index], four);
    memcpy((uint8_t *)&u + (s->each == 2 ? 2 : 0), v + index * s->each, s->each);
    memcpy(&f, &u, 4);
    return f;
}

static size_t place(const Stored *s, bool turned, size_t i, size_t j, size_t z)
{
    return z * s->stride + (turned ? j * s->ld + i : i * s->ld + j);
}

/* rows x columns of the problem z, as doubles; turned: a column lies along a line. */
static double *doubles(const Stored *s, bool turned, size_t rows, size_t columns, size_t z, bool four)
{
    double *d = malloc((rows * columns + 1) * sizeof *d);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            d[i * columns + j] = at(s, s->v, place(s, turned, i, j, z), four);
    return d;
}

/* Half to twice, the sign of each third one turned. */
static WwPtr scales(size_t n, float **out, uint64_t *seed)
{
    WwPtr at;
    *out = malloc(n * sizeof **out);
    for (size_t i = 0; i < n; i++)
        (*out)[i] = (0.5f + (float)(next_bits(seed) % 1024) / 683) * (i % 3 ? 1 : -1);
    assert_works(ww_alloc(device, n * sizeof **out, &at));
    assert_works(ww_copy_in(device, at, *out, n * sizeof **out));
    return at;
}

static void expect(const Case *t, size_t i, size_t j, double got, double sum, double sizes, double scale, double old)
{
    bool   plain = t->rung && strcmp(t->rung, "eight_plain") == 0;
    double want  = (double)t->alpha * scale * sum + (t->beta != 0 ? (double)t->beta * old : 0);
    double unit  = result_bytes(t->type) == 4 ? 0x1p-22 : 0x1p-8;
    double tol   = unit * (fabs(want) + fabs(t->beta * old)) +
                 fabs(t->alpha * scale) * sizes * (plain ? 0x1p-20 : 0x1p-10) + 0x1p-24;
    if (!(fabs(got - want) <= tol))
        fail_msg("type %d layout %d ta %d tb %d %zu x %zu x %zu extra %zu shift %zu alpha %g beta %g rung %s: (%zu, "
                 "%zu) is %.9g, not %.9g",
                 t->type, t->layout, t->ta, t->tb, t->m, t->n, t->k, t->extra, t->shift, (double)t->alpha,
                 (double)t->beta, t->rung ? t->rung : "chosen", i, j, got, want);
}

static void between_lines(const Stored *c, const uint8_t *got)
{
    for (size_t at = 0; at < c->count; at++)
        if (at % c->ld >= c->length)
            assert_memory_equal(got + at * c->each, c->v + at * c->each, c->each);
}

/* Runs it, twice but where it is checked, and gives the result's bytes. */
static uint8_t *run_product(WwStatus (*run)(const void *p), const void *p, const Stored *c)
{
    uint8_t *got = malloc(c->count * c->each), *again = malloc(c->count * c->each);
    assert_works(run(p));
    assert_works(ww_copy_out(device, got, c->at, c->count * c->each));
    if (runs_twice()) {
        stored_in(c);
        assert_works(run(p));
        assert_works(ww_copy_out(device, again, c->at, c->count * c->each));
        assert_memory_equal(got, again, c->count * c->each);
    }
    free(again);
    return got;
}

static WwStatus do_gemm(const void *p)
{
    return ww_gemm(blas, p);
}

static WwStatus do_syrk(const void *p)
{
    return ww_syrk(blas, p);
}

static void check_gemm(const Case *t, uint64_t *seed)
{
    bool   cm = t->layout == WW_COLUMN_MAJOR, four = e4m3(t->type), ra = t->ta != cm, rb = t->tb != cm;
    size_t batch = t->batch ? t->batch : 1, each = result_bytes(t->type);
    Stored a  = stored_new(ra ? t->k : t->m, ra ? t->m : t->k, 1, t->extra, t->shift, batch);
    Stored b  = stored_new(rb ? t->n : t->k, rb ? t->k : t->n, 1, t->extra, t->shift, batch);
    Stored c  = stored_new(cm ? t->n : t->m, cm ? t->m : t->n, each, t->extra, t->shift * each, batch);
    float *sa = NULL, *sb = NULL;
    WwGemm p = {.type      = t->type,
                .layout    = t->layout,
                .trans_a   = t->ta,
                .trans_b   = t->tb,
                .m         = t->m,
                .n         = t->n,
                .k         = t->k,
                .alpha.f32 = t->alpha,
                .beta.f32  = t->beta,
                .a         = a.at,
                .b         = b.at,
                .c         = c.at,
                .lda       = a.ld,
                .ldb       = b.ld,
                .ldc       = c.ld,
                .batch     = t->batch,
                .stride_a  = a.stride,
                .stride_b  = b.stride,
                .stride_c  = c.stride,
                .rung      = t->rung};
    stored_random(&a, four, seed), stored_random(&b, four, seed), stored_random(&c, four, seed);
    if (t->scaled)
        p.scale_a = scales(t->m * batch, &sa, seed), p.scale_b = scales(t->n * batch, &sb, seed);
    uint8_t *got = run_product(do_gemm, &p, &c);
    for (size_t z = 0; z < batch; z++) {
        Sums s = sums_of(t->m, t->n, t->k, doubles(&a, ra, t->m, t->k, z, four), doubles(&b, rb, t->k, t->n, z, four));
        for (size_t i = 0; i < t->m; i++)
            for (size_t j = 0; j < t->n; j++) {
                double scale = sa ? (double)sa[z * t->m + i] * sb[z * t->n + j] : 1;
                size_t where = place(&c, cm, i, j, z), here = i * t->n + j;
                expect(t, i, j, at(&c, got, where, four), s.sum[here], s.sizes[here], scale, at(&c, c.v, where, four));
            }
        sums_free(&s);
    }
    if (batch == 1)
        between_lines(&c, got);
    if (sa)
        ww_free(device, p.scale_a), ww_free(device, p.scale_b);
    free(sa), free(sb), free(got);
    stored_free(&a), stored_free(&b), stored_free(&c);
}

static void check_syrk(const Case *t, WwFill fill, uint64_t *seed)
{
    bool   cm = t->layout == WW_COLUMN_MAJOR, four = e4m3(t->type), ra = t->ta != cm;
    Stored a = stored_new(ra ? t->k : t->n, ra ? t->n : t->k, 1, t->extra, t->shift, 1);
    Stored c = stored_new(t->n, t->n, result_bytes(t->type), t->extra, 0, 1);
    float *s = NULL;
    WwSyrk p = {.type      = t->type,
                .layout    = t->layout,
                .fill      = fill,
                .trans     = t->ta,
                .n         = t->n,
                .k         = t->k,
                .alpha.f32 = t->alpha,
                .beta.f32  = t->beta,
                .a         = a.at,
                .c         = c.at,
                .lda       = a.ld,
                .ldc       = c.ld,
                .rung      = t->rung};
    stored_random(&a, four, seed), stored_random(&c, four, seed);
    if (t->scaled)
        p.scale = scales(t->n, &s, seed);
    uint8_t *got = run_product(do_syrk, &p, &c);
    Sums all = sums_of(t->n, t->n, t->k, doubles(&a, ra, t->n, t->k, 0, four), doubles(&a, !ra, t->k, t->n, 0, four));
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->n; j++) {
            size_t here = place(&c, cm, i, j, 0), there = place(&c, cm, j, i, 0);
            double scale = s ? (double)s[i] * s[j] : 1;
            if (fill != WW_FULL && i != j && (fill == WW_LOWER) != (i > j)) {
                assert_memory_equal(got + here * c.each, c.v + here * c.each, c.each);
                continue;
            }
            expect(t, i, j, at(&c, got, here, four), all.sum[i * t->n + j], all.sizes[i * t->n + j], scale,
                   at(&c, c.v, fill == WW_FULL && i < j ? there : here, four));
            if (fill == WW_FULL)
                assert_memory_equal(got + here * c.each, got + there * c.each, c.each);
        }
    between_lines(&c, got);
    sums_free(&all);
    if (s)
        ww_free(device, p.scale);
    free(s), free(got);
    stored_free(&a), stored_free(&c);
}

static void layouts(void **state)
{
    uint64_t seed = 81;
    (void)state;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (unsigned how = 0; how < 8; how++) {
            Case t = {types[how % 4],
                      how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                      how & 2,
                      how & 4,
                      70 + how,
                      150,
                      200 + how * 16,
                      how % 3 * 8,
                      how % 2 * 3,
                      factor[how % 4 == 1 ? 2 : how % 4],
                      factor[how / 2 % 4],
                      how % 3 == 0,
                      rungs[r],
                      0};
            check_gemm(&t, &seed);
            t.type = types[(how + 1) % 4], t.m = 33, t.n = 16, t.k = 128, t.extra = 0, t.shift = 0,
            t.scaled = !t.scaled;
            check_gemm(&t, &seed);
        }
}

/* More pairs of tiles than the card has room for, and few with a long k: whole ones, and a last round that shares out k. */
static void tiles(void **state)
{
    uint64_t seed = 82;
    (void)state;
    check_gemm(&(Case){WW_E4M3_F32, WW_ROW_MAJOR, false, true, 300, 300, 3000, 8, 0, 1, 0, true, "eight_narrow", 0},
               &seed);
    check_gemm(&(Case){WW_E4M3_F32, WW_ROW_MAJOR, false, true, 300, 300, 3000, 8, 0, 1, 0, true, "eight", 0}, &seed);
    check_gemm(&(Case){WW_E5M2_BF16, WW_ROW_MAJOR, false, true, 256, 384, 2048, 0, 0, 1, 1, false, "eight", 0}, &seed);
    check_syrk(&(Case){WW_E4M3_BF16, WW_ROW_MAJOR, false, false, 0, 520, 1100, 8, 0, 1, 0, true, "eight", 0}, WW_FULL,
               &seed);
    check_syrk(&(Case){WW_E5M2_BF16, WW_ROW_MAJOR, false, false, 0, 776, 200, 0, 0, -1, 0.5f, true, "eight", 0},
               WW_FULL, &seed);
    check_syrk(&(Case){WW_E4M3_F32, WW_ROW_MAJOR, false, false, 0, 520, 200, 0, 0, 1, 0, true, "eight", 0}, WW_FULL,
               &seed);
    check_syrk(&(Case){WW_E4M3_BF16, WW_ROW_MAJOR, false, false, 0, 520, 200, 0, 0, 1, 0.5f, true, "eight", 0},
               WW_LOWER, &seed);
}

static void symmetric(void **state)
{
    uint64_t seed = 83;
    (void)state;
    for (size_t r = 0; r < sizeof aat_rungs / sizeof *aat_rungs; r++)
        for (unsigned how = 0; how < 12; how++) {
            WwFill fill = (WwFill)(how % 3);
            Case   t    = {types[how % 4],
                      how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                           how & 2,
                           false,
                           0,
                      how % 2 ? 150 : 280,
                           160 + how,
                           how % 3 * 8,
                           how % 2,
                           factor[how % 4 == 1 ? 3 : how % 4],
                           factor[how / 3],
                           how % 2,
                           aat_rungs[r],
                           0};
            check_syrk(&t, fill, &seed);
        }
}

static void batches_and_no_terms(void **state)
{
    uint64_t seed = 84;
    (void)state;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++) {
        check_gemm(&(Case){WW_E4M3_F32, WW_ROW_MAJOR, false, true, 40, 50, 64, 0, 0, 1, 0.5f, true, rungs[r], 3},
                   &seed);
        check_gemm(&(Case){WW_E5M2_F32, WW_COLUMN_MAJOR, false, true, 40, 50, 64, 0, 0, 1, 0, true, rungs[r], 2},
                   &seed);
        WwGemm p    = {.type      = WW_E4M3_F32,
                       .m         = 2,
                       .n         = 2,
                       .alpha.f32 = 1,
                       .beta.f32  = 2,
                       .lda       = 1,
                       .ldb       = 2,
                       .ldc       = 2,
                       .rung      = rungs[r]};
        float  c[4] = {1, 2, 3, 4};
        WwPtr  dc;
        assert_works(ww_alloc(device, sizeof c, &dc));
        assert_works(ww_copy_in(device, dc, c, sizeof c));
        p.a = p.b = dc + 1, p.c = dc;
        assert_works(ww_gemm(blas, &p));
        assert_works(ww_copy_out(device, c, dc, sizeof c));
        for (int i = 0; i < 4; i++)
            assert_true(c[i] == (float)(2 * i + 2));
        float wild[2] = {NAN, INFINITY}; /* nor are scales read, with k = 0 and with alpha = 0 */
        WwPtr ds;
        assert_works(ww_alloc(device, sizeof wild, &ds));
        assert_works(ww_copy_in(device, ds, wild, sizeof wild));
        p.scale_a = p.scale_b = ds;
        assert_works(ww_gemm(blas, &p));
        p.k = 1, p.alpha.f32 = 0;
        assert_works(ww_gemm(blas, &p));
        assert_works(ww_copy_out(device, c, dc, sizeof c));
        for (int i = 0; i < 4; i++)
            assert_true(c[i] == (float)(8 * i + 8));
        assert_works(ww_free(device, ds));
        assert_works(ww_free(device, dc));
    }
}

/* Every number of each type once, times one: exact, NaN and infinities included. */
static void every_number(void **state)
{
    (void)state;
    for (size_t r = 0; r < sizeof rungs / sizeof *rungs; r++)
        for (int type = 0; type < 2; type++) {
            bool    four  = type == 0;
            uint8_t a[16] = {four ? 0x38 : 0x3c}, b[16 * 256] = {0};
            float   c[256];
            WwPtr   da, db, dc;
            for (int j = 0; j < 256; j++)
                b[16 * j] = (uint8_t)j;
            assert_works(ww_alloc(device, sizeof a, &da));
            assert_works(ww_alloc(device, sizeof b, &db));
            assert_works(ww_alloc(device, sizeof c, &dc));
            assert_works(ww_copy_in(device, da, a, sizeof a));
            assert_works(ww_copy_in(device, db, b, sizeof b));
            WwGemm p = {.type      = types[type],
                        .trans_b   = true,
                        .m         = 1,
                        .n         = 256,
                        .k         = 16,
                        .alpha.f32 = 1,
                        .a         = da,
                        .b         = db,
                        .c         = dc,
                        .lda       = 16,
                        .ldb       = 16,
                        .ldc       = 256,
                        .rung      = rungs[r]};
            assert_works(ww_gemm(blas, &p));
            assert_works(ww_copy_out(device, c, dc, sizeof c));
            for (int j = 0; j < 256; j++) {
                double want = eight_value((uint8_t)j, four);
                if (isnan(want))
                    assert_true(isnan(c[j]));
                else
                    assert_true(c[j] == (float)want);
            }
            ww_free(device, da), ww_free(device, db), ww_free(device, dc);
        }
}

/* The width of tiles whose busiest cluster has the least to do, of the H200's 66. */
static void chosen(void **state)
{
    static const struct {
        size_t      m, n, k;
        const char *rung;
    } shape[] = {{1024, 1024, 4096, "eight_slim"}, {2048, 2048, 2048, "eight_narrow"}, {8192, 8192, 8192, "eight"}};
    WwPtr       d;
    const char *rung;
    (void)state;
    assert_works(ww_alloc(device, 4096, &d));
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        WwGemm p = {.type      = WW_E4M3_BF16,
                    .trans_b   = true,
                    .m         = shape[i].m,
                    .n         = shape[i].n,
                    .k         = shape[i].k,
                    .alpha.f32 = 1,
                    .a         = d,
                    .b         = d + 1024,
                    .c         = d + 2048,
                    .lda       = shape[i].k,
                    .ldb       = shape[i].k,
                    .ldc       = shape[i].n};
        if (works_if_built(ww_gemm_rung(blas, &p, &rung)) && strcmp(rung, "eight_plain") != 0)
            assert_string_equal(rung, shape[i].rung);
    }
    assert_works(ww_free(device, d));
}

static void refused(void **state)
{
    WwPtr d;
    (void)state;
    assert_works(ww_alloc(device, 4096, &d));
    WwGemm p = {.type      = WW_F16,
                .m         = 4,
                .n         = 4,
                .k         = 4,
                .alpha.f32 = 1,
                .a         = d,
                .b         = d + 64,
                .c         = d + 128,
                .lda       = 4,
                .ldb       = 4,
                .ldc       = 4,
                .scale_a   = d + 1024};
    assert_int_equal(ww_gemm(blas, &p), WW_ERR_INVALID);
    assert_string_equal(ww_device_error(device), "ww_gemm: scale_a is for operands of 8 bits, not for fp16");
    p.type    = WW_E4M3_F32;
    p.scale_a = d + 1;
    assert_int_equal(ww_gemm(blas, &p), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "scale_a"));
    if (!getenv("WW_TEST_DEVICE")) {
        p.scale_a = d + 4096 - 12;
        assert_int_equal(ww_gemm(blas, &p), WW_ERR_INVALID);
        assert_non_null(strstr(ww_device_error(device), "ww_gemm: scale_a has 1 x 4 elements"));
    }
    p.scale_a = 0;
    p.rung    = "half";
    assert_int_equal(ww_gemm(blas, &p), WW_ERR_UNAVAILABLE);
    assert_string_equal(ww_device_error(device), "gemm: the rung half has no kernel for fp8 (e4m3) with float results");
    p.type = WW_F16;
    p.rung = "eight";
    assert_int_equal(ww_gemm(blas, &p), WW_ERR_UNAVAILABLE);
    assert_works(ww_free(device, d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts),      cmocka_unit_test(tiles),
                                       cmocka_unit_test(symmetric),    cmocka_unit_test(batches_and_no_terms),
                                       cmocka_unit_test(every_number), cmocka_unit_test(chosen),
                                       cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, open_blas, close_blas);
}
