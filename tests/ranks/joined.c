/* SPDX-License-Identifier: Apache-2.0
 *
 * joined WAY DEVICES [FAULT [MS]]: products of matrices that lie on the devices of several processes (joined.py starts them), DEVICES of each, compared
 * bit for bit with the same product on as many devices of one process.  WAY: host, nccl.  C is poisoned first, and what lies between its lines has to stay.
 * FAULT: rank 1 is not as the others: `shape`, `memory`, `devices` (it has one less), `die` (after MS milliseconds); `on`: until another one is gone. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "grid/meet.h"

enum { MOST = 6, POISON = 0x5a, LITTLE = 330000 /* bytes: the first matrices, and not the tiles as well */ };

typedef struct Case {
    const char *name;
    WwType      type;
    size_t      operand, result;
    bool        symmetric;
    WwLayout    layout;
    bool        ta, tb;
    WwFill      fill;
    size_t      m, n, k;
    int         beta;
    size_t      tile, panel;
    char        on[4]; /* of a, b, c: r c bands, b t blocks by turns, e everywhere, - in host memory (not c) */
} Case;

static const Case cases[] = {
    {"float A*B, bands of rows", WW_F32, 4, 4, false, WW_ROW_MAJOR, false, false, WW_FULL, 301, 203, 257, 0, 64, 64,
     "rrr"},
    {"float A*B, sizes chosen", WW_F32, 4, 4, false, WW_ROW_MAJOR, false, false, WW_FULL, 260, 270, 280, 0, 0, 0,
     "rrr"},
    {"float A*B, block-cyclic", WW_F32, 4, 4, false, WW_ROW_MAJOR, true, false, WW_FULL, 197, 211, 173, 1, 64, 64,
     "btb"},
    {"float A*Bt, by columns", WW_F32, 4, 4, false, WW_COLUMN_MAJOR, false, true, WW_FULL, 150, 131, 145, 1, 64, 128,
     "rct"},
    {"float A*B, C everywhere, B in host memory", WW_F32, 4, 4, false, WW_ROW_MAJOR, false, false, WW_FULL, 130, 140,
     90, 1, 64, 64, "b-e"},
    {"float A*B, A everywhere", WW_F32, 4, 4, false, WW_ROW_MAJOR, false, false, WW_FULL, 130, 140, 90, 0, 128, 64,
     "etc"},
    {"float A*B, little", WW_F32, 4, 4, false, WW_ROW_MAJOR, false, false, WW_FULL, 1, 1, 1, 0, 0, 0, "rrr"},
    {"float A*B, k = 0", WW_F32, 4, 4, false, WW_ROW_MAJOR, false, false, WW_FULL, 90, 80, 0, 1, 64, 0, "rrb"},
    {"int32 A*B, block-cyclic", WW_I32, 4, 4, false, WW_ROW_MAJOR, false, false, WW_FULL, 129, 190, 210, 1, 64, 64,
     "bbt"},
    {"bf16 A*B, bands of rows", WW_BF16, 2, 2, false, WW_ROW_MAJOR, false, false, WW_FULL, 193, 150, 121, 0, 64, 0,
     "rrr"},
    {"bf16 A*B, eight tiles a rank", WW_BF16, 2, 2, false, WW_ROW_MAJOR, false, false, WW_FULL, 256, 256, 130, 0, 64, 0,
     "rrr"},
    {"float A*At, bands of rows", WW_F32, 4, 4, true, WW_ROW_MAJOR, false, false, WW_FULL, 301, 301, 203, 0, 64, 64,
     "r-r"},
    {"float A*At, block-cyclic, by columns", WW_F32, 4, 4, true, WW_COLUMN_MAJOR, true, false, WW_FULL, 211, 211, 130,
     1, 64, 64, "b-t"},
    {"int32 A*At, the lower triangle", WW_I32, 4, 4, true, WW_ROW_MAJOR, false, false, WW_LOWER, 170, 170, 99, 1, 64,
     64, "t-b"},
    {"int32 A*At, everywhere", WW_I32, 4, 4, true, WW_ROW_MAJOR, false, false, WW_FULL, 170, 170, 99, 0, 64, 64, "b-e"},
    {"bf16 A*At, bands of columns", WW_BF16, 2, 2, true, WW_ROW_MAJOR, false, false, WW_FULL, 150, 150, 70, 0, 64, 0,
     "c-c"},
};

/* ---- matrices ---- */

typedef struct Host {
    size_t rows, columns, ld, each; /* columns, and ld, are rows where it is column-major */
    char  *v;
} Host;

static Host make(size_t rows, size_t columns, size_t each, WwType t, uint32_t seed)
{
    Host h = {rows, columns, columns + 3, each, NULL};
    h.v    = calloc(rows * h.ld + 1, each);
    for (size_t i = 0; i < rows * h.ld; i++) {
        seed       = seed * 1664525u + 1013904223u;
        int      n = (int)(seed >> 16 & 63) - 31;
        float    f = (float)n / 7;
        uint32_t bits;
        memcpy(&bits, &f, 4);
        bits = t == WW_I32 ? (uint32_t)n : each == 2 ? bits >> 16 : bits;
        memcpy(h.v + i * each, &bits, each);
    }
    return h;
}

/* On the devices of a grid, of which this process has `n`, the first of them worker `own`. */
typedef struct Place {
    WwGrid          *g;
    WwDevice *const *device;
    size_t           own, n, workers;
} Place;

typedef struct Spread {
    WwGridArray array;
    WwPtr       at[MOST];
    size_t      bytes[MOST], lines[MOST], length[MOST];
    WwGridCopy  copy;
} Spread;

static void stop(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

static void must(const Place *p, const char *what, WwStatus s)
{
    if (s != WW_OK)
        stop(what, ww_grid_error(p->g));
}

static void distribute(Spread *s, char how, size_t rows, size_t columns, size_t n)
{
    s->array = (WwGridArray){s->at, rows ? rows : 1, columns ? columns : 1, 1, n, 0};
    switch (how) {
    case 'r': s->array.block_rows = rows ? (rows + n - 1) / n : 1, s->array.down = n, s->array.across = 1; break;
    case 'c': s->array.block_columns = columns ? (columns + n - 1) / n : 1; break;
    case 'b': s->array.block_rows = 24, s->array.block_columns = 40; break;
    case 't': s->array.block_rows = 40, s->array.block_columns = 24, s->array.down = n, s->array.across = 1; break;
    default: s->array.down = s->array.across = 0;
    }
}

/* The matrix, as stored, onto the devices; `poisoned`: with nothing on them yet. */
static const WwGridArray *spread(const Place *p, Spread *s, char how, const Host *h, WwLayout layout, bool poisoned)
{
    bool   cm   = layout == WW_COLUMN_MAJOR;
    size_t rows = cm ? h->columns : h->rows, columns = cm ? h->rows : h->columns, part[2];
    *s = (Spread){0};
    if (how == '-')
        return NULL;
    distribute(s, how, rows, columns, p->workers);
    for (size_t i = 0; i < p->n; i++) {
        must(p, "ww_grid_part", ww_grid_part(p->g, &s->array, rows, columns, p->own + i, &part[0], &part[1]));
        s->lines[i]  = part[cm];
        s->length[i] = part[!cm];
        s->array.ld  = part[!cm] + 5 > s->array.ld ? part[!cm] + 5 : s->array.ld;
    }
    for (size_t i = 0; i < p->n; i++) {
        s->bytes[i] = s->lines[i] * s->array.ld * h->each;
        if (s->bytes[i] && s->length[i] &&
            (ww_alloc(p->device[i], s->bytes[i], &s->at[i]) != WW_OK ||
             ww_fill(p->device[i], s->at[i], POISON, s->bytes[i]) != WW_OK))
            stop("ww_alloc", ww_device_error(p->device[i]));
    }
    s->copy = (WwGridCopy){&s->array, layout, h->each, rows, columns, h->v, h->ld};
    if (!poisoned)
        must(p, "ww_grid_scatter", ww_grid_scatter(p->g, &s->copy));
    return &s->array;
}

/* What lies between the lines is still poison. */
static bool clean(const Place *p, Spread *s)
{
    bool good = true;
    for (size_t i = 0; i < p->n; i++) {
        char  *v    = malloc(s->bytes[i] + 1);
        size_t line = s->array.ld * s->copy.element;
        if (s->at[i] && ww_copy_out(p->device[i], v, s->at[i], s->bytes[i]) != WW_OK)
            stop("ww_copy_out", ww_device_error(p->device[i]));
        for (size_t l = 0; s->at[i] && l < s->lines[i]; l++)
            for (size_t b = s->length[i] * s->copy.element; b < line; b++)
                good = good && v[l * line + b] == POISON;
        free(v);
    }
    return good;
}

static void drop(const Place *p, Spread *s)
{
    for (size_t i = 0; i < p->n; i++)
        if (s->at[i])
            ww_free(p->device[i], s->at[i]);
}

/* ---- a product ---- */

static WwScalar number(WwType t, int v)
{
    return t == WW_I32 ? (WwScalar){.i32 = v} : (WwScalar){.f32 = (float)v};
}

typedef struct Run {
    const Case *c;
    Host        a, b, old;
} Run;

/* The product at that place, C into `got` where it lies there; the status of the call. */
static WwStatus product(const Place *p, const Run *r, char *got, bool *kept)
{
    const Case *c = r->c;
    Spread      on[3];
    WwStatus    s;
    bool        symmetric = c->symmetric;
    WwGridGemm  q         = {.type    = c->type,
                             .layout  = c->layout,
                             .trans_a = c->ta,
                             .trans_b = c->tb,
                             .m       = c->m,
                             .n       = c->n,
                             .k       = c->k,
                             .alpha   = number(c->type, 1),
                             .beta    = number(c->type, c->beta),
                             .b       = r->b.v,
                             .ldb     = r->b.ld,
                             .tile    = c->tile,
                             .panel   = c->panel};
    q.on_a                = spread(p, &on[0], c->on[0], &r->a, c->layout, false);
    q.on_b                = symmetric ? NULL : spread(p, &on[1], c->on[1], &r->b, c->layout, false);
    q.on_c                = spread(p, &on[2], c->on[2], &r->old, c->layout, !c->beta && c->fill == WW_FULL);
    s                     = symmetric ? ww_grid_syrk(p->g, &(WwGridSyrk){.type   = q.type,
                                                                         .layout = q.layout,
                                                                         .fill   = c->fill,
                                                                         .trans  = q.trans_a,
                                                                         .n      = q.n,
                                                                         .k      = q.k,
                                                                         .alpha  = q.alpha,
                                                                         .beta   = q.beta,
                                                                         .on_a   = q.on_a,
                                                                         .on_c   = q.on_c,
                                                                         .tile   = q.tile,
                                                                         .panel  = q.panel})
                                      : ww_grid_gemm(p->g, &q);
    if (s == WW_OK) {
        on[2].copy.host = got;
        must(p, "ww_grid_gather", ww_grid_gather(p->g, &on[2].copy));
        *kept = clean(p, &on[2]);
    }
    drop(p, &on[0]);
    drop(p, &on[2]);
    if (q.on_b)
        drop(p, &on[1]);
    return s;
}

static Host stored(size_t rows, size_t columns, bool trans, const Case *c, size_t each, uint32_t seed)
{
    bool turned = trans != (c->layout == WW_COLUMN_MAJOR);
    return make(turned ? columns : rows, turned ? rows : columns, each, c->type, seed);
}

/* 0: all right; 1: wrong; 2: the call failed. */
static int compare(const Place *joined, const Place *alone, const Case *c)
{
    Run    r     = {c, stored(c->m, c->k, c->ta, c, c->operand, 1), stored(c->k, c->n, c->tb, c, c->operand, 2),
                    stored(c->m, c->n, false, c, c->result, 3)};
    size_t bytes = r.old.rows * r.old.ld * r.old.each, tile[2], panel[2];
    char  *want = malloc(bytes), *got = malloc(bytes);
    bool   kept = true, same;
    memcpy(want, r.old.v, bytes);
    must(alone, "one process", product(alone, &r, want, &kept));
    memcpy(got, want, bytes); /* what this rank does not hold is not looked at */
    WwStatus s = product(joined, &r, got, &kept);
    ww_grid_shape(alone->g, &tile[0], &panel[0]);
    ww_grid_shape(joined->g, &tile[1], &panel[1]);
    same = !memcmp(want, got, bytes) && tile[0] == tile[1] && panel[0] == panel[1];
    if (s != WW_OK)
        fprintf(stderr, "rank %zu: %s\n", joined->own, ww_grid_error(joined->g));
    else
        printf("%s %s (tiles %zu, panels %zu)%s\n", same && kept ? "ok   " : "FAIL ", c->name, tile[1], panel[1],
               kept ? "" : ": what lies between the lines was written");
    free(want);
    free(got);
    free(r.a.v);
    free(r.b.v);
    free(r.old.v);
    return s != WW_OK ? 2 : !(same && kept);
}

/* ---- ranks ---- */

static void open_place(Place *p, WwDevice **device, size_t n, size_t first, const char *kind, uint64_t memory)
{
    const char *why = "";
    for (size_t i = 0; i < n; i++)
        if (ww_device_open(kind, &(WwDeviceOptions){.ordinal = (unsigned)(first + i), .threads = 1, .memory = memory},
                           &device[i], &why) != WW_OK)
            stop("device", why);
    *p = (Place){.device = device, .n = n, .own = first, .workers = n};
    if (ww_grid_open(device, n, &p->g, &why) != WW_OK)
        stop("grid", why);
}

static void close_place(Place *p)
{
    ww_grid_close(p->g);
    for (size_t i = 0; i < p->n; i++)
        ww_device_close(p->device[i]);
}

/* A moment later this process is gone. */
static void *die(void *user)
{
    nanosleep(user, NULL);
    kill(getpid(), SIGKILL);
    return NULL;
}

static int run_all(const Place *joined, const Place *alone, const char *fault)
{
    int bad = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && bad < 2; i++) {
        Case c = cases[i];
        c.k += !strcmp(fault, "shape") && joined->own == joined->n;
        int now = compare(joined, alone, &c);
        bad     = now > bad ? now : bad;
    }
    return bad;
}

int main(int argc, char **argv)
{
    const char *way = argc > 1 ? argv[1] : "host", *fault = argc > 3 ? argv[3] : "";
    size_t      each = argc > 2 ? (size_t)atol(argv[2]) : 1;
    const char *kind = !strcmp(way, "nccl") ? "cuda" : "emulator";
    Str         why  = {0};
    RanksWho    who;
    Ranks      *ranks;
    GridMeet   *meet;
    Place       joined, alone;
    WwDevice   *own[MOST], *all[MOST];
    pthread_t   thread;
    if (!ranks_who(&who) || each < 1 || who.ranks * each > MOST)
        stop("ranks", "this is not one of two to six");
    if (ranks_open(&who, &(RanksAsk){.what = "joined"}, &why, &ranks) != WW_OK ||
        grid_meet_open(ranks, &why, &meet) != WW_OK)
        stop("ranks", str_text(&why));
    bool  little = !strcmp(fault, "memory") && who.rank == 1;
    bool  less   = !strcmp(fault, "devices") && who.rank == 1;
    WwPtr ballast;
    open_place(&joined, own, each - less, who.rank * each, kind, little ? 1 << 20 : 0);
    for (size_t i = 0; little && i < each; i++)
        if (ww_alloc(own[i], (1 << 20) - LITTLE, &ballast) != WW_OK)
            stop("ww_alloc", ww_device_error(own[i]));
    open_place(&alone, all, who.ranks * each, 0, kind, 0);
    WwGridLink link = grid_meet_link(meet);
    link.way        = !strcmp(way, "nccl") ? WW_GRID_NCCL : WW_GRID_HOST;
    link.seconds    = 20;
    joined.workers  = who.ranks * each;
    if (ww_grid_link(joined.g, &link) != WW_OK)
        stop(ww_grid_error(joined.g), grid_meet_why(meet));
    if (ww_grid_way(joined.g) != link.way)
        stop("ww_grid_link", "another way than was asked for");
    struct timespec moment = {0, argc > 4 ? atol(argv[4]) * 1000000 : 300000000};
    if (!strcmp(fault, "die") && who.rank == 1)
        pthread_create(&thread, NULL, die, &moment);
    int bad = 0;
    do
        bad = run_all(&joined, &alone, fault);
    while ((!strcmp(fault, "die") || !strcmp(fault, "on")) && !bad);
    if (*grid_meet_why(meet))
        fprintf(stderr, "rank %u: %s\n", who.rank, grid_meet_why(meet));
    close_place(&joined);
    close_place(&alone);
    grid_meet_close(meet);
    ranks_close(ranks);
    str_free(&why);
    return bad;
}
