/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of rungs (rungs.def), and the choice among them.
 *
 * On a GPU that has tensor copies float products and A * A^T go where predict.c says, and large integer products to the tensor cores.
 * Else the choice knows three things: how many tiles of 128 x 128 the result has, how many of them run at once
 * (two a multiprocessor), and how long k is.  Full waves of tiles go to the wide kernel.  Where the last wave would leave
 * much of the card idle, k is shared out (stream), if it is long enough to pay for the partial tiles; small results with a
 * short k get small tiles.  Of A * A^T batches of large ones go to flow; one of few columns is bound by writing C: small tiles, so
 * that some blocks write while others multiply.  Where it errs, a caller names the rung. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blas/blas.h"

enum {
    SLOTS_PER_SM    = 2,
    STREAM_MIN_K    = 256,
    TENSOR_MIN_K    = 512,
    TENSOR_TILES    = 32,
    TENSOR_TRIANGLE = 4,
    MOST_SPLITS     = 128,
    EVERY           = INT_MAX /* columns */
};

enum { OF_gemm, OF_aat };

static const Rung rungs[] = {
#define RUNG(ladder, name, rows, columns, threads, layouts, stream, slice, turns, use, shared)                         \
    {#ladder, #name, OF_##ladder == OF_aat, rows, columns, threads, RUNG_##layouts, stream, slice, turns, use, shared},
#include "blas/rungs.def"
#undef RUNG
};

enum { RUNGS = sizeof rungs / sizeof *rungs };

const Rung *rung_find(const char *ladder, const char *name)
{
    for (size_t i = 0; i < RUNGS; i++)
        if (strcmp(rungs[i].ladder, ladder) == 0 && strcmp(rungs[i].name, name) == 0)
            return &rungs[i];
    return NULL;
}

const Rung *rung_for(bool symmetric, RungUse use)
{
    const Rung *r = rungs;
    while (r->symmetric != symmetric || !(r->use & use))
        r++;
    return r;
}

static const TypeRow types[] = {
#define TYPE(name, word, entry, operand, result, scalar, kind, text)                                                   \
    [name] = {word, #entry, text, operand, result, SCALAR_##scalar, TYPE_##kind},
#include "blas/types.def"
#undef TYPE
};

const TypeRow *type_row(WwType type)
{
    return (unsigned)type < sizeof types / sizeof *types ? &types[type] : NULL;
}

bool rung_half(const Rung *r)
{
    return r->layouts == RUNG_HALF || r->layouts == RUNG_HALF_PLAIN;
}

bool rung_takes(const Rung *r, WwType type)
{
    TypeKind kind = r->layouts == RUNG_LONG ? TYPE_LONG : rung_half(r) ? TYPE_HALF : TYPE_WORDS;
    return kind == type_row(type)->kind && (r->layouts != RUNG_BYTES || type == WW_I32);
}

unsigned rung_splits(const Rung *r)
{
    return r->layouts == RUNG_JOINED ? MOST_SPLITS : 1;
}

unsigned rung_more_splits(unsigned split)
{
    return split < 4 ? split + 1 : split < CLUSTER ? split + 2 : split * 2;
}

/* "name" or "name:blocks", which share out k. */
static const Rung *parse(const char *ladder, const char *text, unsigned *split)
{
    char        name[32];
    const char *colon = strchr(text, ':');
    size_t      n     = colon ? (size_t)(colon - text) : strlen(text);
    if (n >= sizeof name)
        return NULL;
    snprintf(name, sizeof name, "%.*s", (int)n, text);
    const Rung *r = rung_find(ladder, name);
    if (!r || !colon)
        return r;
    char         *end  = NULL;
    unsigned long wish = colon[1] >= '1' && colon[1] <= '9' ? strtoul(colon + 1, &end, 10) : 0;
    *split             = (unsigned)wish;
    bool clusters      = wish <= CLUSTER || wish % CLUSTER == 0;
    return wish && !*end && wish <= rung_splits(r) && clusters ? r : NULL;
}

const char *ww_blas_rung(const char *ladder, size_t i)
{
    for (size_t j = 0; ladder && j < RUNGS; j++)
        if (strcmp(rungs[j].ladder, ladder) == 0 && i-- == 0)
            return rungs[j].name;
    return NULL;
}

uint32_t rung_cover(int n, int tile)
{
    return ((uint32_t)n + (uint32_t)tile - 1) / (uint32_t)tile;
}

uint64_t rung_tiles(const Rung *r, const GemmArgs *g)
{
    uint64_t down = rung_cover(g->m, r->rows), across = rung_cover(g->n, r->columns), over = (down + 1) / 2;
    if (!r->symmetric)
        return down * across;
    if (r->rows == r->columns)
        return down * (down + 1) / 2;
    if (!r->stream) /* tiles twice as wide, also where half of one is above the diagonal */
        return (down / 2 + 1) * over;
    /* over: blocks on the diagonal that fill no tile twice as wide; two of them are one */
    return down / 2 * over + (over + 1) / 2;
}

/* Operands long enough along k to pay for a transposed copy, and enough tiles; the symmetric product does not share out k, so it needs
 * some rounds of them. */
static bool tensor_pays(const WwBlas *b, const Problem *p)
{
    const Rung *r     = rung_for(p->symmetric, FOR_COPIES);
    uint64_t    least = p->symmetric ? (uint64_t)b->sms * TENSOR_TRIANGLE : TENSOR_TILES;
    return rung_tiles(r, &p->args) >= least && p->args.k >= TENSOR_MIN_K && tensor_can(b, p);
}

/* Enough work to pay for splitting the operands. */
static bool bytes_pay(const WwBlas *b, const Problem *p)
{
    enum { MIN_K = 256, MIN_TILES = 16 };
    const Rung *r = rung_for(false, FOR_BYTES);
    return p->type == WW_I32 && p->args.k >= MIN_K && rung_tiles(r, &p->args) >= MIN_TILES && bytes_can(b);
}

/* The model's choice, kept for the next call of the same shape; NULL: the device is not one that it knows. */
static const Rung *choose_model(WwBlas *b, Problem *p)
{
    const GemmArgs *g   = &p->args;
    int             how = 1 << 8 | p->symmetric << 6 | (g->x_col == 1) << 5 | (g->y_row == 1) << 4 | g->vector;
    uint32_t    hash = ((uint32_t)g->m * 0x9e3779b1u) ^ ((uint32_t)g->n * 0x85ebca77u) ^ ((uint32_t)g->k * 0xc2b2ae3du);
    BlasChoice *c    = &b->choice[(hash >> 20 ^ (uint32_t)how) % BLAS_CHOICES];
    if (c->how != how || c->m != g->m || c->n != g->n || c->k != g->k) {
        if (!sm_90_can(b, p)) /* it takes kernels that are for sm_90 alone */
            return NULL;
        *c      = (BlasChoice){g->m, g->n, g->k, how, NULL, 1};
        c->rung = predict_rung(b, p, &c->split);
    }
    p->split = c->split;
    return c->rung;
}

static const Rung *choose_gemm(const WwBlas *b, const Problem *p)
{
    const GemmArgs *g     = &p->args;
    uint64_t        slots = (uint64_t)b->sms * SLOTS_PER_SM;
    uint64_t        tiles = (uint64_t)rung_cover(g->m, 128) * rung_cover(g->n, 128) * p->batch;
    uint64_t        waves = (tiles + slots - 1) / slots;
    if (bytes_pay(b, p))
        return rung_for(false, FOR_BYTES);
    if (tensor_pays(b, p))
        return rung_for(false, FOR_COPIES);
    bool full = tiles * 100 >= waves * slots * 92;
    if (full || p->batch > 1)
        return rung_for(false, tiles >= b->sms ? FOR_FULL : FOR_SMALL);
    if (g->k >= STREAM_MIN_K)
        return rung_for(false, FOR_LONG_K);
    return rung_for(false, tiles >= slots ? FOR_FULL : FOR_SMALL);
}

/* Of a batch; by readings of 256 to 8192 columns by 128 to 8192 (docs/kernels.md). */
static bool flow_pays(const WwBlas *b, const Problem *p)
{
    bool work = p->args.k >= FLOW_K || (p->args.k >= FLOW_LEAST_K && p->args.m >= FLOW_SIDE);
    return work && p->args.m >= FLOW_BATCH && sm_90_can(b, p);
}

static const Rung *choose_aat(const WwBlas *b, const Problem *p)
{
    if (flow_pays(b, p))
        return rung_for(true, FOR_SM_90);
    if (tensor_pays(b, p))
        return rung_for(true, FOR_COPIES);
    if (p->args.k <= SKINNY_K)
        return rung_for(true, FOR_FEW);
    uint64_t side = rung_cover(p->args.m, 128), tiles = side * (side + 1) / 2 * p->batch;
    return rung_for(true, tiles >= b->sms ? FOR_FULL : FOR_SMALL);
}

static Status no_rung(WwBlas *b, const char *ladder, const char *name)
{
    Str  names = {0};
    bool split = false;
    for (size_t i = 0; i < RUNGS; i++)
        if (strcmp(rungs[i].ladder, ladder) == 0) {
            bool some = rung_splits(&rungs[i]) > 1;
            str_printf(&names, "%s %s%s", names.len ? "," : "", rungs[i].name, some ? "[:N]" : "");
            split = split || some;
        }
    if (split)
        str_printf(&names, "; N, the blocks that share out k, is 1 to %d or a multiple of %d up to %d", CLUSTER,
                   CLUSTER, MOST_SPLITS);
    Status s = device_fail(b->device, WW_ERR_NOT_FOUND, "no rung '%s' on the ladder %s; there are:%s", name, ladder,
                           str_text(&names));
    str_free(&names);
    return s;
}

Status problem_choose(WwBlas *b, Problem *p, const char *ladder, const char *name)
{
    bool wide = p->type == WW_I32_I64;
    bool half = type_row(p->type)->kind == TYPE_HALF;
    bool known =
        p->type == WW_F32 || (p->symmetric && p->type == WW_I32); /* integers take twice as long, by any of its rungs */
    bool model = !name && known && p->batch == 1 && p->args.k;
    p->rung    = model ? choose_model(b, p) : NULL;
    if (p->rung)
        return WW_OK;
    if (name)
        p->rung = parse(ladder, name, &p->split);
    else if (half)
        p->rung = half_choose(b, p);
    else if (wide)
        p->rung = rung_for(p->symmetric, FOR_I64);
    else
        p->rung = p->symmetric ? choose_aat(b, p) : choose_gemm(b, p);
    if (!p->rung)
        return no_rung(b, ladder, name);
    if (!rung_takes(p->rung, p->type))
        return device_fail(b->device, WW_ERR_UNAVAILABLE, "%s: the rung %s has no kernel for %s", ladder,
                           name ? name : p->rung->name, type_row(p->type)->text);
    bool copies = tensor_rung(p->rung) || p->rung->layouts == RUNG_BYTES || half;
    if (p->args.k == 0 && (copies || p->rung->stream)) /* nothing to copy or share out */
        p->rung = rung_for(p->rung->symmetric, half ? FOR_ANY_16 : FOR_FULL);
    if (p->args.k == 0)
        p->split = 1;
    return WW_OK;
}

/* ---- blocks and entries ---- */

/* How many blocks a tile is worth: its owner adds up the others' sums one after the other, each in about the time of four slices, so
 * slices / n + 4 n / 8 is least near the root of twice the slices. */
static uint64_t sharers(uint64_t slices)
{
    uint64_t n = 1;
    while (n * n < 2 * slices)
        n++;
    return n;
}

/* Where all blocks' sums of a tile are under way to its owner at once: as many blocks as run, with three slices each or more.  The same number of
 * them for every tile, where that leaves no more than an eighth out, so that none has pieces of two. */
static uint64_t woven(uint64_t tiles, uint64_t most, uint64_t slices)
{
    enum { LEAST = 3 };
    uint64_t room = tiles && tiles < most ? most / tiles : 1, each = (slices + LEAST - 1) / LEAST;
    if (each <= room)
        return tiles * each;
    return tiles <= most && tiles * room * 8 >= most * 7 ? tiles * room : most;
}

/* As many blocks as run at once, but none without a slice of k, and no more than help.  Sharing out costs about a tenth, so tiles that
 * fill nine tenths of their rounds get a block each instead (IN_ROUNDS; flow loses nothing by sharing). */
uint64_t stream_blocks(const WwBlas *b, const Problem *p)
{
    const Rung *r     = p->rung;
    uint64_t    tiles = rung_tiles(r, &p->args), most = (uint64_t)b->sms * (unsigned)r->stream,
             slices = ((uint64_t)p->args.k + (unsigned)r->slice - 1) / (unsigned)r->slice;
    uint64_t rounds = (tiles + most - 1) / most;
    if (r->use & IN_ROUNDS && tiles * 10 >= rounds * most * 9)
        return tiles;
    if (r->layouts == RUNG_WOVEN)
        return woven(tiles, most, slices);
    uint64_t useful = tiles * (slices < sharers(slices) ? slices : sharers(slices));
    return useful < most ? useful : most;
}

/* Not by snprintf, which takes a tenth of a call's time. */
void blas_entry(const Problem *p, char *name)
{
    const Rung     *r    = p->rung;
    const GemmArgs *g    = &p->args;
    const char     *type = type_row(p->type)->entry;
    char           *end  = stpcpy(stpcpy(name, r->ladder), "_");
    end                  = stpcpy(stpcpy(stpcpy(end, r->name), "_"), type);
    if ((r->layouts < RUNG_FOUR || r->layouts > RUNG_JOINED) && r->layouts != RUNG_HALF)
        return;
    end = stpcpy(end, g->x_col == 1 ? "_k" : "_n");
    if (!p->symmetric)
        stpcpy(end, g->y_row == 1 ? "k" : "n");
}
