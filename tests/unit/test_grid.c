/* SPDX-License-Identifier: Apache-2.0
 *
 * Products over several devices: every layout and transposition, several types, tiles and panels that do and do not divide the sides, on one, two
 * and three devices, against sums in double (integers exactly); what lies between C's lines and in the other triangle stays; the halves of a symmetric
 * result have the same bits, and so have two runs; each tile is computed once; devices with little memory.  The same with matrices that
 * lie on the devices, each in a distribution of its own, beside ones in host memory. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "grid_fixture.h"
#include "reference.h"
#include "share.h"
#include "two_to.h"

static size_t cover(size_t n, size_t tile)
{
    return (n + tile - 1) / tile;
}

/* ---- matrices ---- */

static uint64_t random_state = 1;

static uint32_t next(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33);
}

static size_t operand_bytes(WwType t)
{
    return t == WW_E4M3_F32 ? 1 : t == WW_F16 || t == WW_F16_F32 ? 2 : 4;
}

static size_t result_bytes(WwType t)
{
    return t == WW_F16 ? 2 : t == WW_I32_I64 ? 8 : 4;
}

static bool whole(WwType t)
{
    return t == WW_I32 || t == WW_I32_I64;
}

typedef struct Host { /* `lines` of `length` elements, ld apart */
    size_t lines, length, ld, each;
    char  *v;
} Host;

/* Small numbers that fp16 and e4m3 hold exactly. */
static void put(Host *h, size_t at, WwType t)
{
    int      i = (int)(next() % 17) - 8;
    float    f = (float)i / 4;
    uint16_t half;
    int64_t  wide = i * (INT64_C(1) << (h->each == 8 ? 33 : 0));
    if (h->each == 1) {
        int e;
        frexpf(f, &e);
        h->v[at] = (char)(f == 0 ? 0 : (f < 0) << 7 | (e + 6) << 3 | (int)(ldexpf(fabsf(f), 4 - e) - 8));
    } else if (h->each == 2) { /* i / 4: e of 2^e times a fraction */
        int e;
        frexpf(f, &e);
        half = (uint16_t)(f == 0 ? 0 : (f < 0) << 15 | (e + 14) << 10 | (int)(ldexpf(fabsf(f), 11 - e) - 1024));
        memcpy(h->v + at * 2, &half, 2);
    } else if (whole(t)) {
        memcpy(h->v + at * h->each, h->each == 8 ? (void *)&wide : (void *)&i, h->each);
    } else {
        memcpy(h->v + at * 4, &f, 4);
    }
}

static Host make(size_t lines, size_t length, size_t extra, size_t each, WwType t)
{
    Host h = {lines, length, length + extra, each, NULL};
    h.v    = malloc(lines * h.ld * each);
    for (size_t i = 0; i < lines * h.ld; i++)
        put(&h, i, t);
    return h;
}

static double at(const Host *h, const char *v, size_t line, size_t i, WwType t)
{
    const char *p = v + (line * h->ld + i) * h->each;
    uint16_t    half;
    int32_t     n;
    int64_t     wide;
    float       f;
    if (h->each == 1) {
        double x = *p & 0x7f ? (8 + (*p & 7)) * two_to((*p >> 3 & 15) - 10) : 0;
        return *p & 0x80 ? -x : x;
    }
    if (h->each == 2) {
        memcpy(&half, p, 2);
        double x = half & 0x7fff ? (1024 + (half & 1023)) * two_to((half >> 10 & 31) - 25) : 0;
        return half >> 15 ? -x : x;
    }
    if (!whole(t))
        return memcpy(&f, p, 4), f;
    if (h->each == 8)
        return memcpy(&wide, p, 8), (double)wide;
    return memcpy(&n, p, 4), n;
}

/* Element (i, j) of op(M). */
static double element(const Host *h, const char *v, bool trans, bool cm, size_t i, size_t j, WwType t)
{
    return trans != cm ? at(h, v, j, i, t) : at(h, v, i, j, t);
}

/* op(M), rows x columns, as doubles times `factor`. */
static double *doubles(const Host *h, bool trans, bool cm, size_t rows, size_t columns, WwType t, double factor)
{
    double *d = malloc((rows * columns + 1) * sizeof *d);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            d[i * columns + j] = factor * element(h, h->v, trans, cm, i, j, t);
    return d;
}

static WwScalar scalar(WwType t, int v)
{
    return t == WW_I32_I64 ? (WwScalar){.i64 = v} : t == WW_I32 ? (WwScalar){.i32 = v} : (WwScalar){.f32 = (float)v};
}

typedef struct Case {
    WwType   type;
    WwLayout layout;
    bool     ta, tb;
    size_t   m, n, k, extra;
    int      alpha, beta;
    size_t   tile, panel;
    char     on[4]; /* where a, b, c lie: 0 in host memory; a letter of spread_over */
} Case;

/* ---- matrices on the devices ---- */

typedef struct Spread {
    WwGridArray array;
    WwPtr       at[MOST];
    WwGridCopy  copy;
    size_t      bytes[MOST];
} Spread;

/* Bands of rows, bands of columns, small blocks in turn, the same the other way round, everywhere. */
static void spread_over(Spread *s, char how, size_t rows, size_t columns)
{
    size_t n = ww_grid_size(grid);
    s->array = (WwGridArray){s->at, rows ? rows : 1, columns ? columns : 1, 1, n, 0};
    switch (how) {
    case 'r': s->array.block_rows = cover(rows, n) ? cover(rows, n) : 1, s->array.down = n, s->array.across = 1; break;
    case 'c': s->array.block_columns = cover(columns, n) ? cover(columns, n) : 1; break;
    case 'b': s->array.block_rows = 24, s->array.block_columns = 40; break;
    case 't': s->array.block_rows = 40, s->array.block_columns = 24, s->array.down = n, s->array.across = 1; break;
    default: s->array.down = s->array.across = 0;
    }
}

/* h, as stored in that layout, onto the devices; NULL: it stays where it is. */
static const WwGridArray *scatter(Spread *s, char how, const Host *h, WwLayout layout, size_t extra)
{
    bool   cm   = layout == WW_COLUMN_MAJOR;
    size_t rows = cm ? h->length : h->lines, columns = cm ? h->lines : h->length, part[2];
    if (!how)
        return NULL;
    *s = (Spread){0};
    spread_over(s, how, rows, columns);
    for (size_t i = 0; i < ww_grid_size(grid); i++) {
        assert_int_equal(ww_grid_part(grid, &s->array, rows, columns, i, &part[0], &part[1]), WW_OK);
        s->array.ld = part[!cm] + extra > s->array.ld ? part[!cm] + extra : s->array.ld;
    }
    s->array.ld += !s->array.ld;
    for (size_t i = 0; i < ww_grid_size(grid); i++) {
        ww_grid_part(grid, &s->array, rows, columns, i, &part[0], &part[1]);
        s->bytes[i] = part[cm] * s->array.ld * h->each;
        if (s->bytes[i] && part[!cm])
            assert_int_equal(ww_alloc(device[i], s->bytes[i], &s->at[i]), WW_OK);
        if (s->at[i])
            assert_int_equal(ww_fill(device[i], s->at[i], 0x5a, s->bytes[i]), WW_OK);
    }
    s->copy = (WwGridCopy){&s->array, layout, h->each, rows, columns, h->v, h->ld};
    assert_works(ww_grid_scatter(grid, &s->copy));
    return &s->array;
}

static void gather(Spread *s, void *to)
{
    s->copy.host = to;
    assert_works(ww_grid_gather(grid, &s->copy));
}

/* What lies between the lines of a part stays; a part that everybody has is the same everywhere. */
static void drop(Spread *s)
{
    bool cm = s->copy.layout == WW_COLUMN_MAJOR;
    for (size_t i = ww_grid_size(grid); i-- > 0;) { /* the first one last: the others are compared with it */
        size_t part[2] = {0}, ld = s->array.ld, each = s->copy.element;
        char  *v = malloc(s->bytes[i] + 1), *first = s->array.down ? NULL : malloc(s->bytes[i] + 1);
        ww_grid_part(grid, &s->array, s->copy.rows, s->copy.columns, i, &part[0], &part[1]);
        if (!s->at[i])
            part[0] = part[1] = 0;
        else
            assert_int_equal(ww_copy_out(device[i], v, s->at[i], s->bytes[i]), WW_OK);
        for (size_t l = 0; l < part[cm]; l++)
            for (size_t b = part[!cm] * each; b < ld * each; b++)
                assert_int_equal(v[l * ld * each + b], 0x5a);
        if (first && s->at[i]) {
            assert_int_equal(ww_copy_out(device[0], first, s->at[0], s->bytes[0]), WW_OK);
            assert_memory_equal(v, first, s->bytes[i]);
        }
        if (s->at[i])
            ww_free(device[i], s->at[i]);
        free(first);
        free(v);
    }
}

static Host stored(size_t rows, size_t cols, bool trans, const Case *t, size_t each)
{
    bool turned = trans != (t->layout == WW_COLUMN_MAJOR);
    return make(turned ? cols : rows, turned ? rows : cols, t->extra, each, t->type);
}

static void expect(const Case *t, size_t i, size_t j, double got, double want)
{
    double tol = whole(t->type) ? 0 : result_bytes(t->type) == 2 ? fabs(want) / 1024 + 1e-3 : fabs(want) * 1e-5 + 1e-4;
    if (!(fabs(got - want) <= tol))
        fail_msg("type %d layout %d ta %d tb %d %zu x %zu x %zu tile %zu panel %zu: (%zu, %zu) is %.9g, not %.9g",
                 t->type, t->layout, t->ta, t->tb, t->m, t->n, t->k, t->tile, t->panel, i, j, got, want);
}

static void check_outside(const Host *c, const char *got)
{
    for (size_t l = 0; l < c->lines; l++)
        assert_memory_equal(got + (l * c->ld + c->length) * c->each, c->v + (l * c->ld + c->length) * c->each,
                            (c->ld - c->length) * c->each);
}

/* Each tile is one device's, and no device has more of the work (elements of C; half of those on the diagonal of a symmetric one) than its share and a
 * tile. */
static void check_shares(size_t tiles, bool symmetric)
{
    size_t sum = 0, n = ww_grid_size(grid);
    double load[MOST] = {0}, all = 0, most = 0;
    assert_int_equal(ww_grid_tiles(grid), tiles);
    for (size_t i = 0; i < tiles; i++) {
        WwGridTile t;
        assert_int_equal(ww_grid_tile(grid, i, &t), WW_OK);
        double work = (double)(t.rows * t.cols) * (symmetric && t.row == t.col ? 0.5 : 1);
        all += work;
        load[t.device] += work;
        most = work > most ? work : most;
    }
    for (size_t i = 0; i < n; i++) {
        WwGridShare s;
        assert_int_equal(ww_grid_share(grid, i, &s), WW_OK);
        assert_true(load[i] <= all / (double)n + most);
        sum += s.tiles;
    }
    assert_int_equal(sum, tiles);
}

static void run_gemm(const Case *t)
{
    bool   cm   = t->layout == WW_COLUMN_MAJOR;
    size_t each = operand_bytes(t->type), bytes, tile;
    Host   a = stored(t->m, t->k, t->ta, t, each), b = stored(t->k, t->n, t->tb, t, each),
         c    = stored(t->m, t->n, false, t, result_bytes(t->type));
    bytes     = c.lines * c.ld * c.each;
    char *got = malloc(bytes), *again = malloc(bytes);
    memcpy(got, c.v, bytes);
    memcpy(again, c.v, bytes);
    WwGridGemm p = {.type    = t->type,
                    .layout  = t->layout,
                    .trans_a = t->ta,
                    .trans_b = t->tb,
                    .m       = t->m,
                    .n       = t->n,
                    .k       = t->k,
                    .alpha   = scalar(t->type, t->alpha),
                    .beta    = scalar(t->type, t->beta),
                    .a       = a.v,
                    .b       = b.v,
                    .c       = got,
                    .lda     = a.ld,
                    .ldb     = b.ld,
                    .ldc     = c.ld,
                    .tile    = t->tile,
                    .panel   = t->panel};
    Spread     on[3];
    p.on_a = scatter(&on[0], t->on[0], &a, t->layout, t->extra);
    p.on_b = scatter(&on[1], t->on[1], &b, t->layout, t->extra);
    for (int run = 0; run < 2; run++) {
        p.c    = run ? again : got;
        p.on_c = scatter(&on[2], t->on[2], &c, t->layout, t->extra);
        assert_works(ww_grid_gemm(grid, &p));
        ww_grid_shape(grid, &tile, NULL);
        check_shares(cover(t->m, tile) * cover(t->n, tile), false);
        if (p.on_c)
            gather(&on[2], p.c), drop(&on[2]);
    }
    if (p.on_a)
        drop(&on[0]);
    if (p.on_b)
        drop(&on[1]);
    assert_memory_equal(got, again, bytes);
    Sums s = sums_of(t->m, t->n, t->k, doubles(&a, t->ta, cm, t->m, t->k, t->type, t->alpha),
                     doubles(&b, t->tb, cm, t->k, t->n, t->type, 1));
    for (size_t i = 0; i < t->m; i++)
        for (size_t j = 0; j < t->n; j++)
            expect(t, i, j, element(&c, got, false, cm, i, j, t->type),
                   s.sum[i * t->n + j] + (t->beta ? t->beta * element(&c, c.v, false, cm, i, j, t->type) : 0));
    sums_free(&s);
    check_outside(&c, got);
    free(got);
    free(again);
    free(a.v);
    free(b.v);
    free(c.v);
}

static void run_syrk(const Case *t, WwFill fill)
{
    bool   cm   = t->layout == WW_COLUMN_MAJOR;
    size_t each = operand_bytes(t->type), tile;
    Host   a = stored(t->n, t->k, t->ta, t, each), c = stored(t->n, t->n, false, t, result_bytes(t->type));
    char  *got = malloc(c.lines * c.ld * c.each);
    memcpy(got, c.v, c.lines * c.ld * c.each);
    WwGridSyrk p = {.type   = t->type,
                    .layout = t->layout,
                    .fill   = fill,
                    .trans  = t->ta,
                    .n      = t->n,
                    .k      = t->k,
                    .alpha  = scalar(t->type, t->alpha),
                    .beta   = scalar(t->type, t->beta),
                    .a      = a.v,
                    .c      = got,
                    .lda    = a.ld,
                    .ldc    = c.ld,
                    .tile   = t->tile,
                    .panel  = t->panel};
    Spread     on[2];
    p.on_a = scatter(&on[0], t->on[0], &a, t->layout, t->extra);
    p.on_c = scatter(&on[1], t->on[2], &c, t->layout, t->extra);
    assert_works(ww_grid_syrk(grid, &p));
    ww_grid_shape(grid, &tile, NULL);
    check_shares(cover(t->n, tile) * (cover(t->n, tile) + 1) / 2, true);
    if (p.on_c)
        gather(&on[1], got), drop(&on[1]);
    if (p.on_a)
        drop(&on[0]);
    Sums s = sums_of(t->n, t->n, t->k, doubles(&a, t->ta, cm, t->n, t->k, t->type, t->alpha),
                     doubles(&a, !t->ta, cm, t->k, t->n, t->type, 1));
    for (size_t i = 0; i < t->n; i++)
        for (size_t j = 0; j < t->n; j++) {
            size_t here  = ((cm ? j : i) * c.ld + (cm ? i : j)) * c.each,
                   there = ((cm ? i : j) * c.ld + (cm ? j : i)) * c.each;
            size_t low = i > j ? i : j, high = i > j ? j : i;
            if ((fill == WW_LOWER && i < j) || (fill == WW_UPPER && i > j)) {
                assert_memory_equal(got + here, c.v + here, c.each);
                continue;
            }
            if (fill == WW_FULL)
                assert_memory_equal(got + here, got + there, c.each);
            double kept = t->beta ? t->beta * element(&c, c.v, false, cm, fill == WW_FULL ? low : i,
                                                      fill == WW_FULL ? high : j, t->type)
                                  : 0;
            expect(t, i, j, element(&c, got, false, cm, i, j, t->type), kept + s.sum[i * t->n + j]);
        }
    sums_free(&s);
    check_outside(&c, got);
    free(got);
    free(a.v);
    free(c.v);
}

/* ---- tests ---- */

static const WwType types[] = {WW_F32, WW_I32, WW_I32_I64, WW_F16_F32, WW_F16, WW_E4M3_F32};
enum { TYPES = sizeof types / sizeof *types };

static void gemm(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MOST; n++) {
        open_grid(n, 0);
        for (unsigned how = 0; how < 8; how++) {
            WwType type = types[(how + n) % TYPES];
            Case   t    = {type,
                      how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                           how & 2,
                           how & 4,
                           150,
                           210,
                           170,
                           how % 3,
                      (int)(how % 3) - 1 ? (int)(how % 3) - 1 : 2,
                      how & 1 ? 3 : 0,
                           64,
                      type == WW_F16 ? 0 : 64,
                           ""};
            if (!share_skips())
                run_gemm(&t);
        }
        close_grid();
    }
}

/* Long enough that a device's first panels come in parts along k, and its last tile leaves a few rows at a time; with one panel, too. */
static void in_parts(void **state)
{
    static const Case cases[] = {
        {WW_I32, WW_ROW_MAJOR, false, false, 1100, 70, 1300, 1, 2, 0, 1088, 1280, ""},
        {WW_F32, WW_ROW_MAJOR, true, false, 1100, 70, 1300, 0, 1, 3, 1152, 1344, ""},
        {WW_I32, WW_ROW_MAJOR, false, true, 1100, 130, 1200, 3, 2, 1, 1152, 1088, "r"},
        {WW_F16, WW_COLUMN_MAJOR, true, true, 40, 1100, 64, 0, 1, 1, 1152, 0, ""},
        {WW_I32, WW_ROW_MAJOR, false, false, 1100, 70, 1300, 0, 1, 1, 1152, 1344, "b b"},
    };
    (void)state;
    for (size_t n = 1; n <= 2; n++) {
        open_grid(n, 0);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            run_gemm(&cases[i]);
        Case t = {WW_I32, WW_ROW_MAJOR, n == 1, false, 0, 1160, 60, 0, 1, 0, 1088, 64, ""};
        run_syrk(&t, WW_FULL);
        close_grid();
    }
}

static void gemm_edges(void **state)
{
    static const size_t shape[][3] = {{1, 1, 1}, {64, 128, 64}, {65, 3, 129}, {5, 200, 0}, {130, 70, 64}};
    (void)state;
    open_grid(2, 0);
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (size_t y = 0; y < TYPES; y++) {
            Case t = {types[y], WW_ROW_MAJOR,  i & 1, y & 1, shape[i][0], shape[i][1], shape[i][2], 1,
                      1,        i & 1 ? 2 : 0, 64,    0,     ""};
            if (cover(t.m, 64) * cover(t.n, 64) >= 2)
                if (!share_skips())
                    run_gemm(&t);
            t.tile = 0;
            if (!share_skips())
                run_gemm(&t);
        }
    WwGridGemm none = {.type = WW_F32, .m = 0, .n = 3, .k = 2, .alpha.f32 = 1, .lda = 2, .ldb = 3, .ldc = 3};
    assert_works(ww_grid_gemm(grid, &none));
    close_grid();
}

static void syrk(void **state)
{
    (void)state;
    for (size_t n = 1; n <= MOST; n++) {
        open_grid(n, 0);
        for (unsigned how = 0; how < 12; how++) {
            WwType type = types[(how + n) % TYPES];
            Case   t    = {type,    how & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                           how & 2, false,
                           0,       200,
                           90,      how % 2,
                           1,       how % 4 == 3 ? 2 : 0,
                           64,      type == WW_F16 ? 0 : 64,
                           ""};
            if (!share_skips())
                run_syrk(&t, (WwFill)(how % 3));
        }
        close_grid();
    }
}

/* Every distribution for each matrix beside others, some in host memory. */
static void spread(void **state)
{
    static const char how[] = {'r', 'c', 'b', 't', 'e', 0};
    enum { HOW = sizeof how };
    (void)state;
    for (size_t n = 2; n <= MOST; n++) {
        open_grid(n, 0);
        for (unsigned i = 0; i < 2 * HOW; i++) {
            WwType type = types[(i + n) % TYPES];
            Case   t    = {.type   = type,
                           .layout = i & 1 ? WW_COLUMN_MAJOR : WW_ROW_MAJOR,
                           .ta     = i & 2,
                           .tb     = i & 4,
                           .m      = 150 - 7 * n,
                           .n      = 130,
                           .k      = 110,
                           .extra  = i % 3,
                           .alpha  = 1,
                           .beta   = i % 4 == 2 ? 2 : 0,
                           .tile   = i % 5 ? 64 : 0,
                           .panel  = type == WW_F16 ? 0 : 64,
                           .on     = {how[i % HOW], how[(i + i / HOW) % HOW], how[(i + 2 * (i / HOW) + 1) % HOW]}};
            if (!share_skips())
                run_gemm(&t);
            t.n = 170;
            if (!share_skips())
                run_syrk(&t, (WwFill)(i % 3));
        }
        close_grid();
    }
}

/* Rows in bands: a device multiplies what it holds where it lies, and asks the other one for no more than the rest of B. */
static void spread_in_place(void **state)
{
    enum { N = 256 };
    (void)state;
    open_grid(2, 0);
    Case t = {.type = WW_I32, .m = N, .n = N, .k = N, .alpha = 1, .tile = 128, .on = {'r', 'r', 'r'}};
    run_gemm(&t);
    for (size_t i = 0; i < 2; i++) {
        WwGridShare s;
        assert_int_equal(ww_grid_share(grid, i, &s), WW_OK);
        assert_int_equal(s.tiles, 2);
        assert_int_equal(s.in_bytes + s.out_bytes, 0);
        assert_int_equal(s.peer_bytes, N * N / 2 * 4);
    }
    /* Of A * A^T both have as much to do, though the first band has the shorter triangle. */
    t.on[2] = 'r';
    t.tile  = 64;
    run_syrk(&t, WW_FULL);
    for (size_t i = 0; i < 2; i++) {
        WwGridShare s;
        assert_int_equal(ww_grid_share(grid, i, &s), WW_OK);
        assert_int_equal(s.tiles, 5);
    }
    close_grid();
}

/* Three processes, here one after the other in the same C: together they are the whole product, and each writes its own tiles alone. */
static void ranks(void **state)
{
    enum { N = 200, K = 70, RANKS = 3 };
    (void)state;
    for (int column = 0; column < 2; column++) {
        open_grid(2, 0);
        Case       t = {WW_I32, column ? WW_COLUMN_MAJOR : WW_ROW_MAJOR, false, false, 0, N, K, 0, 1, 0, 64, 0, ""};
        Host       a = stored(N, K, false, &t, 4);
        int       *c = malloc(N * N * 4), *whole_c = malloc(N * N * 4), *part = malloc(N * N * 4);
        WwGridSyrk p = {.type      = WW_I32,
                        .layout    = t.layout,
                        .n         = N,
                        .k         = K,
                        .alpha.i32 = 1,
                        .a         = a.v,
                        .c         = whole_c,
                        .lda       = a.ld,
                        .ldc       = N,
                        .tile      = 64,
                        .ranks     = 0};
        memset(c, 0x55, N * N * 4);
        assert_works(ww_grid_syrk(grid, &p));
        assert_int_equal(ww_grid_tiles(grid), 10);
        p.ranks = RANKS;
        for (p.rank = 0; p.rank < RANKS; p.rank++) {
            memset(part, 0x55, N * N * 4);
            p.c = part;
            assert_works(ww_grid_syrk(grid, &p));
            for (size_t i = 0; i < ww_grid_tiles(grid); i++) {
                WwGridTile at;
                assert_int_equal(ww_grid_tile(grid, i, &at), WW_OK);
                for (size_t r = at.row; r < at.row + at.rows; r++)
                    for (size_t q = at.col; q < at.col + at.cols; q++) {
                        size_t one = column ? q * N + r : r * N + q, two = column ? r * N + q : q * N + r;
                        bool   mine = at.rank == p.rank;
                        assert_int_equal(part[one], mine ? whole_c[one] : 0x55555555);
                        assert_int_equal(part[two], mine ? whole_c[two] : 0x55555555);
                        c[one] = mine ? part[one] : c[one];
                        c[two] = mine ? part[two] : c[two];
                    }
                assert_true(at.mirrored == (at.row != at.col));
            }
        }
        assert_memory_equal(c, whole_c, N * N * 4);
        WwGridTile none;
        assert_int_equal(ww_grid_tile(grid, 10, &none), WW_ERR_INVALID);
        p.rank = RANKS;
        assert_int_equal(ww_grid_syrk(grid, &p), WW_ERR_INVALID);
        free(c);
        free(whole_c);
        free(part);
        free(a.v);
        close_grid();
    }
}

/* Larger than the devices' memory: panels are halved, then tiles. */
static void little_memory(void **state)
{
    size_t tile, panel;
    (void)state;
    if (getenv("WW_TEST_DEVICE"))
        return; /* a GPU's memory is what it is */
    open_grid(2, 2 << 20);
    Case t = {WW_F32, WW_ROW_MAJOR, false, false, 600, 500, 700, 0, 1, 0, 512, 0, ""};
    run_gemm(&t);
    ww_grid_shape(grid, &tile, &panel);
    assert_true(tile < 512 && panel < 700);
    Case s = {WW_F32, WW_ROW_MAJOR, false, false, 0, 600, 500, 0, 1, 0, 0, 0, ""};
    run_syrk(&s, WW_FULL);
    /* 16-bit results cannot cut k. */
    Case  h = {WW_F16, WW_ROW_MAJOR, false, false, 64, 64, 20000, 0, 1, 0, 0, 0, ""};
    Host  a = stored(h.m, h.k, false, &h, 2), b = stored(h.k, h.n, false, &h, 2), c = stored(h.m, h.n, false, &h, 2);
    char *before = malloc(64 * 64 * 2);
    memcpy(before, c.v, 64 * 64 * 2);
    WwGridGemm p = {.type      = WW_F16,
                    .m         = 64,
                    .n         = 64,
                    .k         = 20000,
                    .alpha.f32 = 1,
                    .a         = a.v,
                    .b         = b.v,
                    .c         = c.v,
                    .lda       = 20000,
                    .ldb       = 64,
                    .ldc       = 64};
    assert_int_equal(ww_grid_gemm(grid, &p), WW_ERR_NO_MEMORY);
    assert_non_null(strstr(ww_grid_error(grid), "device 0: not even tiles of 64 x 64 with panels of 20032 fit"));
    assert_memory_equal(c.v, before, 64 * 64 * 2);
    free(before);
    free(a.v);
    free(b.v);
    free(c.v);
    close_grid();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(gemm),
                                       cmocka_unit_test(in_parts),
                                       cmocka_unit_test(gemm_edges),
                                       cmocka_unit_test(syrk),
                                       cmocka_unit_test(ranks),
                                       cmocka_unit_test(spread),
                                       cmocka_unit_test(spread_in_place),
                                       cmocka_unit_test(little_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
