/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of fp16 and bf16: every layout, transposition, result type and fill, by every rung that takes them, against sums in double; lines that
 * begin anywhere; k shared out; products of no terms; infinities and NaN; batches.  Results are poisoned before, and what lies between their lines must
 * stay; the two halves of a symmetric result have the same bits, and so have two runs. */
#include <stdio.h>
#include <unistd.h>

#include "base/temporary.h"
#include "blas_fixture.h"
#include "reference.h"
#include "share.h"

static const WwType types[]     = {WW_F16, WW_BF16, WW_F16_F32, WW_BF16_F32};
static const char  *rungs[]     = {"half",
                                   "half_224",
                                   "half_208",
                                   "half_176",
                                   "half_broad",
                                   "half_160",
                                   "half_144",
                                   "half_narrow",
                                   "half_96",
                                   "half_80",
                                   "half_slim",
                                   "half_plain",
                                   "half_little:3",
                                   "half_middle:2",
                                   "half_warp",
                                   "half_warp_little",
                                   "half_quad",
                                   "half_quad_192",
                                   "half_quad_128",
                                   "half_quad_96",
                                   "half_quad_160",
                                   "half_quad_80",
                                   "half_tall_160",
                                   "half_tall_144",
                                   "half_column_48:2",
                                   "half_column_64:3",
                                   "half_column_80",
                                   "half_column_96:4",
                                   "half_column_128:8",
                                   NULL};
static const char  *aat_rungs[] = {"half",      "half_narrow",      "half_plain", "half_little:3",
                                   "half_warp", "half_warp_little", NULL};
enum { RUNGS = sizeof rungs / sizeof *rungs, AAT_RUNGS = sizeof aat_rungs / sizeof *aat_rungs };
static const float factors[] = {1, 0, -0.5f, 2, 1.5f, 1};

static bool is_brain(WwType t)
{
    return t == WW_BF16 || t == WW_BF16_F32;
}

static bool is_wide(WwType t)
{
    return t == WW_F16_F32 || t == WW_BF16_F32;
}

/* `lines` of `length` elements, ld apart, the last of them at the end of its allocation. */
typedef struct Half {
    size_t   lines, length, ld, count, bytes; /* bytes: of an element */
    uint8_t *v;
    WwPtr    base, p;
} Half;

static Half half_new(size_t lines, size_t length, size_t extra, size_t bytes, size_t shift)
{
    Half h   = {.lines = lines, .length = length, .ld = length + extra, .bytes = bytes};
    h.count  = lines && length ? (lines - 1) * h.ld + length : 1;
    h.v      = malloc(h.count * bytes);
    size_t n = h.count * bytes + shift * bytes;
    assert_works(ww_alloc(device, n, &h.base));
    h.p = h.base + shift * bytes;
    return h;
}

/* About one, of both signs, with some zeros. */
static void half_random(Half *h, bool brain, uint64_t *seed)
{
    for (size_t i = 0; i < h->count; i++) {
        uint32_t r = next_bits(seed);
        uint16_t v = (uint16_t)(brain ? 0x3f00 + (r & 0xff) : 0x3800 + (r & 0x7ff));
        v          = r >> 8 & 31 ? (uint16_t)(v | (r >> 13 & 1) << 15) : 0;
        memcpy(h->v + i * 2, &v, 2);
    }
    assert_works(ww_copy_in(device, h->p, h->v, h->count * 2));
}

static void half_poison(Half *h, uint64_t *seed, bool brain)
{
    if (h->bytes == 2) {
        half_random(h, brain, seed);
        return;
    }
    for (size_t i = 0; i < h->count; i++) {
        float f = (float)(int)next_below(seed, 17) - 8;
        memcpy(h->v + i * 4, &f, 4);
    }
    assert_works(ww_copy_in(device, h->p, h->v, h->count * 4));
}

static void half_free(Half *h)
{
    assert_works(ww_free(device, h->base));
    free(h->v);
}

static double at(const Half *h, const uint8_t *v, size_t line, size_t i, bool brain)
{
    uint16_t bits;
    float    f;
    if (h->bytes == 4)
        return memcpy(&f, v + (line * h->ld + i) * 4, 4), f;
    memcpy(&bits, v + (line * h->ld + i) * 2, 2);
    return half_value(bits, brain);
}

typedef struct Case {
    WwType      type;
    WwLayout    layout;
    bool        ta, tb;
    size_t      m, n, k, extra, shift;
    float       alpha, beta;
    const char *rung;
} Case;

/* op(M)(i, j) of a matrix stored transposed or not, by columns or not. */
static double element(const Half *h, bool trans, bool column_major, size_t i, size_t j, bool brain)
{
    return trans != column_major ? at(h, h->v, j, i, brain) : at(h, h->v, i, j, brain);
}

/* op(M), rows x columns, as doubles. */
static double *doubles(const Half *h, bool trans, bool column_major, size_t rows, size_t columns, bool brain)
{
    double *d = malloc((rows * columns + 1) * sizeof *d);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            d[i * columns + j] = element(h, trans, column_major, i, j, brain);
    return d;
}

static void expect(const Case *t, size_t i, size_t j, double got, double sum, double sizes, double old)
{
    double want = (double)t->alpha * sum + (t->beta != 0 ? (double)t->beta * old : 0);
    double unit = is_wide(t->type) ? 0x1p-23 : is_brain(t->type) ? 0x1p-8 : 0x1p-11;
    double tol  = unit * fabs(want) + fabs((double)t->alpha) * sizes * ((double)t->k / 16 + 2) * 0x1p-22 + 0x1p-24;
    if (!(fabs(got - want) <= tol))
        fail_msg("type %d layout %d ta %d tb %d %zu x %zu x %zu extra %zu shift %zu alpha %g beta %g rung %s: (%zu, "
                 "%zu) is %.9g, not %.9g",
                 t->type, t->layout, t->ta, t->tb, t->m, t->n, t->k, t->extra, t->shift, (double)t->alpha,
                 (double)t->beta, t->rung ? t->rung : "chosen", i, j, got, want);
}

static void check_outside(const Half *c, const uint8_t *got)
{
    for (size_t line = 0; line + 1 < c->lines && c->length; line++)
        assert_memory_equal(got + (line * c->ld + c->length) * c->bytes, c->v + (line * c->ld + c->length) * c->bytes,
                            (c->ld - c->length) * c->bytes);
}

static WwGemm gemm_of(const Case *t, const Half *a, const Half *b, const Half *c)
{
    return (WwGemm){.type      = t->type,
                    .layout    = t->layout,
                    .trans_a   = t->ta,
                    .trans_b   = t->tb,
                    .m         = t->m,
                    .n         = t->n,
                    .k         = t->k,
                    .alpha.f32 = t->alpha,
                    .beta.f32  = t->beta,
                    .a         = a->p,
                    .b         = b->p,
                    .c         = c->p,
                    .lda       = a->ld,
                    .ldb       = b->ld,
                    .ldc       = c->ld,
                    .rung      = t->rung};
}

static Half stored(size_t rows, size_t cols, bool trans, const Case *t, size_t bytes)
{
    bool turned = trans != (t->layout == WW_COLUMN_MAJOR);
    return half_new(turned ? cols : rows, turned ? rows : cols, t->extra, bytes, t->shift);
}

static void run_gemm(const Case *t, uint64_t *seed)
{
    if (share_skips())
        return;
    bool brain = is_brain(t->type), cm = t->layout == WW_COLUMN_MAJOR;
    Half a = stored(t->m, t->k, t->ta, t, 2), b = stored(t->k, t->n, t->tb, t, 2),
         c = stored(t->m, t->n, false, t, is_wide(t->type) ? 4 : 2);
    half_random(&a, brain, seed);
    half_random(&b, brain, seed);
    half_poison(&c, seed, brain);
    WwGemm   p   = gemm_of(t, &a, &b, &c);
    uint8_t *got = malloc(c.count * c.bytes), *again = malloc(c.count * c.bytes);
    bool     built = works_if_built(ww_gemm(blas, &p));
    if (built) {
        assert_works(ww_copy_out(device, got, c.p, c.count * c.bytes));
        Sums s = sums_of(t->m, t->n, t->k, doubles(&a, t->ta, cm, t->m, t->k, brain),
                         doubles(&b, t->tb, cm, t->k, t->n, brain));
        for (size_t i = 0; i < t->m; i++)
            for (size_t j = 0; j < t->n; j++)
                expect(t, i, j, cm ? at(&c, got, j, i, brain) : at(&c, got, i, j, brain), s.sum[i * t->n + j],
                       s.sizes[i * t->n + j], element(&c, false, cm, i, j, brain));
        sums_free(&s);
        check_outside(&c, got);
    }
    if (built && runs_twice()) {
        assert_works(ww_copy_in(device, c.p, c.v, c.count * c.bytes));
        assert_works(ww_gemm(blas, &p));
        assert_works(ww_copy_out(device, again, c.p, c.count * c.bytes));
        assert_memory_equal(got, again, c.count * c.bytes);
    }
    free(got);
    free(again);
    half_free(&a);
    half_free(&b);
    half_free(&c);
}

static void gemm_layouts(void **state)
{
    uint64_t seed = 41;
    (void)state;
    for (unsigned how = 0; how < 8; how++)
        for (size_t r = 0; r < RUNGS; r++) {
            Case t = {types[(how + r) % 4],
                      how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                      how & 2,
                      how & 4,
                      136,
                      264,
                      72,
                      8,
                      0,
                      factors[how % 6],
                      factors[(how + 1 + r) % 6],
                      rungs[r]};
            run_gemm(&t, &seed);
            t = (Case){types[(how + r + 1) % 4], t.layout, t.ta, t.tb, 61, 67, 19, how % 3, r % 2, 1,
                       how & 1 ? 2.0f : 0,       rungs[r]};
            run_gemm(&t, &seed);
        }
}

/* Two slices and more for each of several parts, the result larger than a pair of tiles; lines that begin anywhere. */
static void gemm_shares_k(void **state)
{
    uint64_t seed = 43;
    (void)state;
    for (size_t r = 0; r < RUNGS; r++) {
        Case t = {r & 1 ? WW_F16 : WW_BF16, WW_ROW_MAJOR, false, true, 300, 300, 700, 4, 0, 1, 0, rungs[r]};
        run_gemm(&t, &seed);
        t = (Case){r & 1 ? WW_BF16_F32 : WW_F16, WW_ROW_MAJOR, true, false, 130, 140, 521, 3, 1, 2, 1, rungs[r]};
        run_gemm(&t, &seed);
        t = (Case){r & 1 ? WW_BF16 : WW_F16, WW_COLUMN_MAJOR, r & 2, r & 1, 90, 150, 310, 2, r & 2, 1, 0, rungs[r]};
        run_gemm(&t, &seed);
    }
}

/* A card of so many multiprocessors. */
static int open_card(int sms)
{
    char *name;
    int   fd = temporary_file("small", &name); /* a profile of a file is known by the '/' in its name */
    FILE *f  = fd >= 0 ? fdopen(fd, "w") : NULL;
    assert_non_null(f);
    fprintf(f, "base: h200\nsms: %d\n", sms);
    assert_int_equal(fclose(f), 0);
    const char     *why = NULL;
    WwDeviceOptions o   = {.threads = 2, .check = getenv("WW_TEST_CHECK"), .profile = name};
    WwStatus        s   = ww_device_open("emulator", &o, &device, &why);
    unlink(name);
    free(name);
    if (s != WW_OK)
        return print_error("%s\n", why), -1;
    findings = 0;
    ww_device_on_result(device, o.check ? count_findings : NULL, NULL);
    return ww_blas_open(device, &blas) == WW_OK ? 0 : -1;
}

/* Four clusters of two. */
static int open_small(void **state)
{
    (void)state;
    return open_card(8);
}

/* Three clusters of four. */
static int open_quads(void **state)
{
    (void)state;
    return open_card(14);
}

typedef struct Shared { /* a product whose k is shared out among clusters */
    size_t      m, n, k;
    const char *rung;
} Shared;

/* apart: every other one with A transposed and four elements between lines; else all with A transposed. */
static void run_shared(const Shared *shape, size_t n, bool apart, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        bool odd = i & 1;
        Case t   = {.type   = types[i % 4],
                    .layout = WW_ROW_MAJOR,
                    .ta     = apart ? odd : true,
                    .tb     = i & 2,
                    .m      = shape[i].m,
                    .n      = shape[i].n,
                    .k      = shape[i].k,
                    .extra  = apart && odd ? 4 : 0,
                    .alpha  = 1,
                    .beta   = i & 2 ? 0.5f : 0,
                    .rung   = shape[i].rung};
        run_gemm(&t, &seed);
    }
}

/* Four clusters share out the slices of one to seven pairs of tiles, below each other and of an odd last row beside each other, evenly or in equal parts. */
static void gemm_evenly(void **state)
{
    static const Shared shape[] = {
        {140, 1200, 620, "half"},          {40, 720, 2010, "half"},           {300, 500, 620, "half_narrow"},
        {40, 360, 2010, "half_narrow"},    {90, 100, 2100, "half_narrow"},    {50, 890, 500, "half_slim"},
        {140, 900, 620, "half_broad"},     {40, 180, 2010, "half_slim"},      {300, 390, 90, "half_broad"},
        {140, 1050, 620, "half_224"},      {40, 460, 2010, "half_160"},       {50, 770, 500, "half_96"},
        {140, 1200, 620, "half_tall_144"}, {300, 700, 2010, "half_tall_144"}, {270, 500, 1100, "half_tall_160"},
        {140, 900, 620, "half_208"},       {40, 700, 2010, "half_176"}};
    (void)state;
    run_shared(shape, sizeof shape / sizeof *shape, false, 89);
}

/* The same of three clusters of four: one to five times four tiles, in two parts and three, some of whose blocks lie outside of C. */
static void quads_evenly(void **state)
{
    static const Shared shape[] = {{140, 300, 1620, "half_quad_128"}, {70, 140, 2010, "half_quad_96"},
                                   {300, 600, 620, "half_quad"},      {40, 1560, 620, "half_quad_192"},
                                   {600, 200, 840, "half_quad_128"},  {270, 390, 500, "half_quad_192"},
                                   {520, 180, 700, "half_quad_96"},   {530, 470, 410, "half_quad"},
                                   {300, 500, 620, "half_quad_160"},  {300, 180, 840, "half_quad_80"}};
    (void)state;
    run_shared(shape, sizeof shape / sizeof *shape, true, 127);
}

/* Tiles of the transposed product: results of 16 bits without beta, of every layout, aligned and not, C's edges inside a tile and a piece. */
static void gemm_turned(void **state)
{
    static const char *const turned[] = {
        "half:turned",           "half_224:turned",         "half_broad:turned",       "half_160:turned",
        "half_144:turned",       "half_narrow:turned",      "half_96:turned",          "half_80:turned",
        "half_slim:turned",      "half_quad:turned",        "half_quad_192:turned",    "half_quad_128:turned",
        "half_quad_96:turned",   "half_quad_160:turned",    "half_quad_80:turned",     "half_tall_160:turned",
        "half_tall_144:turned",  "half_column_48:8:turned", "half_208:turned",         "half_176:turned",
        "half_column_64:turned", "half_column_80:3:turned", "half_column_96:2:turned", "half_column_128:4:turned"};
    static const size_t shape[][3] = {{264, 136, 72}, {136, 488, 72}, {61, 67, 19}, {300, 260, 330}};
    uint64_t            seed       = 97;
    (void)state;
    for (unsigned how = 0; how < 8; how++)
        for (size_t r = 0; r < sizeof turned / sizeof *turned; r++) {
            if (__builtin_parity(how) ==
                (int)r % 2) /* half of the layouts each, with either order and either transposition */
                continue;
            const size_t *s = shape[(how + r) % 4];
            Case          t = {(how + r) & 1 ? WW_F16 : WW_BF16,
                      how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                      how & 2,
                      how & 4,
                      s[0],
                      s[1],
                      s[2],
                      (how + r) / 4 % 3 * 4,
                      0,
                      factors[how % 6],
                      0,
                      turned[r]};
            run_gemm(&t, &seed);
            t.extra = (how + r) % 7;
            t.shift = r % 2;
            run_gemm(&t, &seed);
        }
}

/* Boxes of an operand that are not copied, as they lie outside of it: with few of a tile's rows or columns inside, none of a block's, and as many slices as
 * fill the ring more than once. */
static void edges(void **state)
{
    static const size_t shape[][3] = {{264, 40, 712}, {136, 300, 584}, {8, 8, 1032}, {72, 104, 648}};
    uint64_t            seed       = 103;
    (void)state;
    for (size_t r = 0; r < RUNGS; r++)
        for (unsigned how = 0; how < 4 && !(rungs[r] && (strstr(rungs[r], "plain") || strstr(rungs[r], "warp")));
             how++) {
            const size_t *s = shape[(how + r) % 4];
            Case          t = {types[(how + r / 4) % 4], WW_ROW_MAJOR, how & 2, how & 1, s[0], s[1], s[2], 0, 0, 1,
                      how == 3 ? 0.5f : 0,      rungs[r]};
            run_gemm(&t, &seed);
        }
}

/* Narrow tiles, whose blocks share nothing where Y's lines begin on 128 bytes, below and beside each other, k shared out; the same with lines that stray. */
static void alone(void **state)
{
    static const char *const tiles[]    = {"half_96", "half_80", "half_slim", "half_80:turned", "half_slim:turned"};
    static const size_t      shape[][3] = {{400, 192, 640}, {136, 520, 576}, {640, 128, 128}};
    uint64_t                 seed       = 109;
    (void)state;
    for (size_t r = 0; r < sizeof tiles / sizeof *tiles; r++)
        for (unsigned how = 0; how < 6; how++) {
            const size_t *s = shape[(how + r) % 3];
            Case          t = {types[(how + r) % (r < 3 ? 4 : 2)], /* transposed tiles have results of 16 bits */
                               WW_ROW_MAJOR,
                               how & 1,
                               !(how & 2),
                               s[0],
                               s[1],
                               s[2],
                      how & 4 ? 8 : 0,
                               0,
                               1,
                               0,
                               tiles[r]};
            run_gemm(&t, &seed);
        }
}

/* Lines of C that begin on a word or between two, with few elements in their last piece. */
static void line_ends(void **state)
{
    static const size_t      n[]     = {1, 2, 3, 4, 63, 64, 65, 66, 67, 194};
    static const char *const tiles[] = {"half",
                                        "half_160",
                                        "half_narrow",
                                        "half_slim",
                                        "half_96:turned",
                                        "half_80",
                                        "half_144:turned",
                                        "half_tall_160",
                                        "half_tall_144:turned",
                                        "half_176"};
    uint64_t                 seed    = 101;
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++)
        for (size_t r = 0; r < sizeof tiles / sizeof *tiles; r++) {
            Case t = {r & 1 ? WW_F16 : WW_BF16, WW_ROW_MAJOR, false, true, 9, n[i], 40, 1, (i + r) % 2, 1, 0, tiles[r]};
            run_gemm(&t, &seed);
            t.extra = 2;
            t.shift = !t.shift;
            run_gemm(&t, &seed);
        }
}

static void gemm_small(void **state)
{
    static const size_t shape[][3] = {{1, 1, 1}, {3, 2, 5}, {0, 4, 3}, {4, 0, 3}, {5, 7, 0}, {65, 129, 64}};
    uint64_t            seed       = 47;
    (void)state;
    for (size_t s = 0; s < sizeof shape / sizeof *shape; s++)
        for (size_t r = 0; r < RUNGS; r++) {
            Case t = {types[(s + r) % 4], WW_ROW_MAJOR, s & 1, r & 1, shape[s][0], shape[s][1], shape[s][2], 1, 1, 1,
                      s & 1 ? 0.5f : 0,   rungs[r]};
            run_gemm(&t, &seed);
        }
}

static void run_syrk(const Case *t, WwFill fill, uint64_t *seed)
{
    if (share_skips())
        return;
    bool     brain = is_brain(t->type), cm = t->layout == WW_COLUMN_MAJOR;
    Half     a = stored(t->n, t->k, t->ta, t, 2), c = stored(t->n, t->n, false, t, is_wide(t->type) ? 4 : 2);
    uint8_t *got = malloc(c.count * c.bytes);
    half_random(&a, brain, seed);
    half_poison(&c, seed, brain);
    WwSyrk p = {.type      = t->type,
                .layout    = t->layout,
                .fill      = fill,
                .trans     = t->ta,
                .n         = t->n,
                .k         = t->k,
                .alpha.f32 = t->alpha,
                .beta.f32  = t->beta,
                .a         = a.p,
                .c         = c.p,
                .lda       = a.ld,
                .ldc       = c.ld,
                .rung      = t->rung};
    if (works_if_built(ww_syrk(blas, &p))) {
        assert_works(ww_copy_out(device, got, c.p, c.count * c.bytes));
        Sums s = sums_of(t->n, t->n, t->k, doubles(&a, t->ta, cm, t->n, t->k, brain),
                         doubles(&a, !t->ta, cm, t->k, t->n, brain));
        for (size_t i = 0; i < t->n; i++)
            for (size_t j = 0; j < t->n; j++) {
                size_t place = ((cm ? j : i) * c.ld + (cm ? i : j)) * c.bytes,
                       other = ((cm ? i : j) * c.ld + (cm ? j : i)) * c.bytes;
                if ((fill == WW_LOWER && i < j) || (fill == WW_UPPER && i > j)) {
                    assert_memory_equal(got + place, c.v + place, c.bytes);
                    continue;
                }
                if (fill == WW_FULL)
                    assert_memory_equal(got + place, got + other, c.bytes);
                size_t low = i > j ? i : j, high = i > j ? j : i; /* C is read in the lower triangle */
                bool   mirror = fill == WW_FULL;
                expect(t, i, j, cm ? at(&c, got, j, i, brain) : at(&c, got, i, j, brain), s.sum[i * t->n + j],
                       s.sizes[i * t->n + j], element(&c, false, cm, mirror ? low : i, mirror ? high : j, brain));
            }
        sums_free(&s);
        check_outside(&c, got);
    }
    free(got);
    half_free(&a);
    half_free(&c);
}

static void syrk(void **state)
{
    static const WwFill fills[] = {WW_FULL, WW_LOWER, WW_UPPER};
    uint64_t            seed    = 53;
    (void)state;
    for (size_t f = 0; f < 3; f++)
        for (unsigned how = 0; how < 4; how++)
            for (size_t r = 0; r < AAT_RUNGS; r++) {
                Case t = {WW_F16,      how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR, how & 2, false, 0, 136, 72, 8, 0, 1, 0,
                          aat_rungs[r]};
                t.type = types[(how + r + f) % 4];
                t.beta = how == f ? 0.5f : 0;
                run_syrk(&t, fills[f], &seed);
            }
}

/* More than one square of tiles, k shared out, lines that begin anywhere. */
static void syrk_large(void **state)
{
    uint64_t seed = 59;
    (void)state;
    for (size_t r = 0; r < AAT_RUNGS; r++) {
        Case t = {r & 1 ? WW_F16 : WW_BF16, WW_ROW_MAJOR, false, false, 0, 328, 600, 0, 0, 1, 0, aat_rungs[r]};
        run_syrk(&t, WW_FULL, &seed);
        t = (Case){r & 1 ? WW_BF16 : WW_F16_F32, WW_ROW_MAJOR, true, false, 0, 300, 100, 1, 1, 1, 0, aat_rungs[r]};
        run_syrk(&t, r & 1 ? WW_UPPER : WW_FULL, &seed);
        run_syrk(&t, WW_LOWER, &seed);
        t.type  = r & 1 ? WW_BF16 : WW_F16;
        t.ta    = r & 2;
        t.n     = r & 1 ? 328 : 330;
        t.alpha = -1;
        t.beta  = 0.5f;
        t.extra = t.shift = 0;
        run_syrk(&t, WW_FULL, &seed); /* a whole square on the diagonal, and parts of one, that read C */
    }
}

/* A term of infinity makes its results infinite, one of NaN, NaN; beyond the edge of k nothing of it is seen. */
static void not_finite(void **state)
{
    enum { M = 40, N = 48, K = 24 };
    uint64_t seed = 61;
    (void)state;
    for (size_t r = 0; r < RUNGS; r++) {
        Case     t = {WW_BF16, WW_ROW_MAJOR, false, true, M, N, K, 0, 0, 1, 0, rungs[r]};
        Half     a = half_new(M, K, 0, 2, 0), b = half_new(N, K, 0, 2, 0), c = half_new(M, N, 0, 2, 0);
        uint16_t inf = 0x7f80, nan = 0x7fc0, got[M * N];
        half_random(&a, true, &seed);
        half_random(&b, true, &seed);
        for (size_t i = 0; i < b.count; i++)
            b.v[i * 2 + 1] = 0x3f; /* positive */
        memcpy(a.v + (3 * K + 5) * 2, &inf, 2);
        memcpy(a.v + (7 * K + K - 1) * 2, &nan, 2);
        assert_works(ww_copy_in(device, a.p, a.v, a.count * 2));
        assert_works(ww_copy_in(device, b.p, b.v, b.count * 2));
        WwGemm p = gemm_of(&t, &a, &b, &c);
        if (works_if_built(ww_gemm(blas, &p))) {
            assert_works(ww_copy_out(device, got, c.p, sizeof got));
            for (size_t i = 0; i < M; i++)
                for (size_t j = 0; j < N; j++) {
                    double v = half_value(got[i * N + j], true);
                    assert_true(i == 3 ? isinf(v) && v > 0 : i == 7 ? isnan(v) : isfinite(v));
                }
        }
        half_free(&a);
        half_free(&b);
        half_free(&c);
    }
}

/* Neither operand is read where alpha is zero, nor C where beta is. */
static void nothing_read(void **state)
{
    enum { N = 16 };
    uint64_t seed = 67;
    (void)state;
    for (size_t r = 0; r < RUNGS; r++) {
        Case     t = {WW_F16, WW_ROW_MAJOR, false, false, N, N, N, 0, 0, 0, 2, rungs[r]};
        Half     a = half_new(N, N, 0, 2, 0), c = half_new(N, N, 0, 2, 0);
        uint16_t got[N * N];
        half_random(&c, false, &seed);
        memset(a.v, 0xff, a.count * 2);
        assert_works(ww_copy_in(device, a.p, a.v, a.count * 2));
        WwGemm p = gemm_of(&t, &a, &a, &c);
        if (works_if_built(ww_gemm(blas, &p))) {
            assert_works(ww_copy_out(device, got, c.p, sizeof got));
            for (size_t i = 0; i < N * N; i++)
                assert_true(half_value(got[i], false) == 2 * at(&c, c.v, 0, i, false));
        }
        half_free(&a);
        half_free(&c);
    }
}

static void run_batch(const char *rung, size_t k, size_t batch, uint64_t *seed)
{
    enum { M = 20, N = 24 };
    Case     t = {WW_F16_F32, WW_ROW_MAJOR, false, false, M, N, k, 0, 0, 1, 0, rung};
    Half     a = half_new(M * batch, k, 0, 2, 0), b = half_new(k, N, 0, 2, 0), c = half_new(M * batch, N, 0, 4, 0);
    uint8_t *got = malloc(c.count * 4);
    half_random(&a, false, seed);
    half_random(&b, false, seed);
    half_poison(&c, seed, false);
    WwGemm p   = gemm_of(&t, &a, &b, &c);
    p.batch    = batch;
    p.stride_a = M * k;
    p.stride_c = M * N;
    if (works_if_built(ww_gemm(blas, &p))) {
        assert_works(ww_copy_out(device, got, c.p, c.count * 4));
        Sums s = sums_of(M * batch, N, k, doubles(&a, false, false, M * batch, k, false),
                         doubles(&b, false, false, k, N, false));
        for (size_t i = 0; i < M * batch; i++)
            for (size_t j = 0; j < N; j++)
                expect(&t, i, j, at(&c, got, i, j, false), s.sum[i * N + j], s.sizes[i * N + j], 0);
        sums_free(&s);
    }
    free(got);
    half_free(&a);
    half_free(&b);
    half_free(&c);
}

static void batches(void **state)
{
    uint64_t seed = 71;
    (void)state;
    for (size_t r = 0; r < RUNGS; r++)
        run_batch(rungs[r], 40, 3, &seed);
}

/* Rings of every depth: the more blocks there are, the fewer slices each can have on their way, by how many a multiprocessor holds: one, two or three.
 * On 8 multiprocessors few are enough. */
static void rings(void **state)
{
    static const size_t batch[] = {2, 4, 6, 9}, of_card[] = {2, 30, 60, 80, 110};
    bool                card = getenv("WW_TEST_DEVICE") != NULL;
    uint64_t            seed = 73;
    (void)state;
    for (size_t i = 0; i < (card ? sizeof of_card / sizeof *of_card : sizeof batch / sizeof *batch); i++) {
        size_t n = card ? of_card[i] : batch[i];
        run_batch("half_little:3", 1300, n, &seed);
        run_batch("half_middle:2", 740, n, &seed);
        run_batch("half_little", 331, n, &seed);
    }
}

static int open_ring(void **state)
{
    return getenv("WW_TEST_DEVICE") ? open_blas(state) : open_small(state);
}

/* What tools/half_model, which has the same formulas, says of shapes of docs/data/half_random_h200.tsv and half_more_h200.tsv. */
static void chosen(void **state)
{
    static const struct {
        size_t      m, n, k;
        bool        ta, tb;
        const char *rung;
    } shape[] = {
        {518, 16, 64, true, false, "half_little"},
        {768, 44, 64, true, false, "half_little"},
        {16, 3355, 359, true, false, "half_little:6"},
        {151, 896, 128, true, false, "half_little:2"},
        {251, 110, 64, false, true, "half_column_48"},
        {416, 448, 34, false, true, "half_little"},
        {1821, 64, 453, true, false, "half_little:8"},
        {25, 58, 192, true, false, "half_little:3"},
        {3379, 55, 219, false, true, "half_little:4"},
        {227, 2013, 1536, true, false, "half_slim"},
        {2644, 512, 2362, true, true, "half_96"},
        {3432, 1280, 1397, true, false, "half_tall_144:turned"},
        {704, 3776, 1974, true, false, "half_broad"},
        {1792, 3072, 1664, false, true, "half_broad"},
        {504, 2112, 832, false, true, "half_slim"},
        {1280, 1024, 2368, false, false, "half_96:turned"},
        {1280, 1024, 2368, false, true, "half_96"},
        {3400, 896, 2608, false, true, "half_broad:turned"},
        {706, 2880, 1408, false, true, "half_144"},
        {472, 2368, 3016, true, false, "half_quad_80"},
        {720, 1280, 2472, false, true, "half_quad_80"},
        {3712, 2048, 2024, false, true, "half_quad"},
        {168, 3784, 1920, false, false, "half_quad_80:turned"},
        {1120, 3728, 2104, false, false, "half_tall_144:turned"},
        {480, 656, 1296, true, false, "half_column_64:4"},
        {1848, 2640, 1672, false, true, "half_tall_160:turned"},
        {1016, 1456, 4040, false, true, "half_quad_128"},
        {504, 2760, 3120, false, false, "half_quad_96"},
        {1752, 2320, 1624, false, true, "half_tall_144"},
        {104, 2280, 2376, true, true, "half_column_48:8"},
        {192, 2656, 2992, false, true, "half_column_96:4:turned"},
        {2464, 256, 1664, false, false, "half_column_96:8:turned"},
        {1152, 3920, 872, false, true, "half_tall_144:turned"},
        {3256, 2024, 704, true, true, "half_208"},
        {448, 2360, 3632, false, true, "half_quad_80"},
        {1880, 1264, 1960, true, false, "half_quad_160:turned"},
        {2608, 3088, 840, false, true, "half_176"},
    };
    WwPtr       p;
    const char *rung;
    (void)state;
    assert_works(ww_alloc(device, 1024, &p));
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
        size_t m = shape[i].m, n = shape[i].n, k = shape[i].k;
        bool   ta = shape[i].ta, tb = shape[i].tb;
        WwGemm g = {.type      = WW_BF16,
                    .trans_a   = ta,
                    .trans_b   = tb,
                    .m         = m,
                    .n         = n,
                    .k         = k,
                    .alpha.f32 = 1,
                    .a         = p,
                    .b         = p + 256,
                    .c         = p + 512,
                    .lda       = ta ? m : k,
                    .ldb       = tb ? k : n,
                    .ldc       = n};
        if (works_if_built(ww_gemm_rung(blas, &g, &rung)) && strcmp(rung, "half_plain") != 0)
            assert_string_equal(rung, shape[i].rung);
    }
    assert_works(ww_free(device, p));
}

static void refused(void **state)
{
    WwPtr  p;
    WwGemm g = {.type = WW_BF16, .m = 2, .n = 2, .k = 2, .alpha.f32 = 1, .lda = 2, .ldb = 2, .ldc = 2, .rung = "wide"};
    (void)state;
    assert_works(ww_alloc(device, 64, &p));
    g.a = g.b = p;
    g.c       = p + 32;
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_UNAVAILABLE);
    assert_string_equal(ww_device_error(device), "gemm: the rung wide has no kernel for bf16");
    g.type = WW_F32;
    g.rung = "half";
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_UNAVAILABLE);
    assert_string_equal(ww_device_error(device), "gemm: the rung half has no kernel for float");
    g.type     = WW_BF16;
    g.rung     = "half:turned";
    g.beta.f32 = 1;
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_UNAVAILABLE);
    assert_string_equal(ww_device_error(device),
                        "gemm: half:turned writes 16-bit results without beta, biases and activations alone");
    g.rung = "half_little:turned";
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_NOT_FOUND);
    assert_non_null(strstr(ww_device_error(device), " half_160[:turned]"));
    g.type = WW_F16;
    g.rung = NULL;
    g.a    = p + 1;
    assert_int_equal(ww_gemm(blas, &g), WW_ERR_INVALID);
    assert_non_null(strstr(ww_device_error(device), "is not aligned to the 2 bytes of an element"));
    assert_works(ww_free(device, p));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(gemm_layouts, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(gemm_shares_k, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(gemm_evenly, open_small, close_blas),
        cmocka_unit_test_setup_teardown(quads_evenly, open_quads, close_blas),
        cmocka_unit_test_setup_teardown(gemm_turned, open_small, close_blas),
        cmocka_unit_test_setup_teardown(line_ends, open_small, close_blas),
        cmocka_unit_test_setup_teardown(edges, open_small, close_blas),
        cmocka_unit_test_setup_teardown(alone, open_small, close_blas),
        cmocka_unit_test_setup_teardown(gemm_small, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(syrk, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(syrk_large, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(not_finite, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(nothing_read, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(batches, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(rings, open_ring, close_blas),
        cmocka_unit_test_setup_teardown(chosen, open_blas, close_blas),
        cmocka_unit_test_setup_teardown(refused, open_blas, close_blas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
