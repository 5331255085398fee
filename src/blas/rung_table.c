/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of rungs (rungs.def) and types (types.def), and what follows from a row alone: which types a rung takes, how many tiles and blocks
 * a problem has by it, and the name of its entry.  Nothing here chooses; the files that do, and those that launch, ask here. */
#include <limits.h>
#include <string.h>

#include "blas/blas.h"

enum { EVERY = INT_MAX /* columns */ };

enum { OF_gemm, OF_aat };

static const Rung rungs[] = {
#define RUNG(ladder, name, rows, columns, threads, layouts, stream, slice, turns, use, shared)                         \
    {#ladder, #name, OF_##ladder == OF_aat, rows, columns, threads, RUNG_##layouts, stream, slice, turns, use, shared},
#include "blas/rungs.def"
#undef RUNG
};

enum { RUNGS = sizeof rungs / sizeof *rungs };

const Rung *rung_at(size_t i)
{
    return i < RUNGS ? &rungs[i] : NULL;
}

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

bool type_zero(WwType type, WwScalar v)
{
    TypeScalar s = type_row(type)->scalar;
    return s == SCALAR_i64 ? v.i64 == 0 : s == SCALAR_i32 ? v.i32 == 0 : s == SCALAR_f64 ? v.f64 == 0 : v.f32 == 0.0f;
}

WwScalar type_one(WwType type)
{
    TypeScalar s = type_row(type)->scalar;
    return s == SCALAR_i64   ? (WwScalar){.i64 = 1}
           : s == SCALAR_i32 ? (WwScalar){.i32 = 1}
           : s == SCALAR_f64 ? (WwScalar){.f64 = 1}
                             : (WwScalar){.f32 = 1};
}

enum { ALL_OF_THEM = -1 };

/* Of RungLayouts: what it multiplies, which one of those types alone; letters: an entry for each layout, named by its last letters; batch: one launch
 * can take it; maps: 16-bit or 8-bit operands come by tensor copies alone (half.c). */
static const struct LayoutRow {
    TypeKind kind;
    int      only;
    bool     letters, batch, maps;
} layouts[] = {[RUNG_ANY]          = {TYPE_WORDS, ALL_OF_THEM, false, true, false},
               [RUNG_FOUR]         = {TYPE_WORDS, ALL_OF_THEM, true, true, false},
               [RUNG_SHORT]        = {TYPE_WORDS, ALL_OF_THEM, true, true, false},
               [RUNG_WOVEN]        = {TYPE_WORDS, ALL_OF_THEM, true, true, false},
               [RUNG_JOINED]       = {TYPE_WORDS, ALL_OF_THEM, true, true, false},
               [RUNG_TENSOR]       = {TYPE_WORDS, ALL_OF_THEM, false, false, false},
               [RUNG_WHOLE]        = {TYPE_WORDS, ALL_OF_THEM, false, false, false},
               [RUNG_DRAWN]        = {TYPE_WORDS, ALL_OF_THEM, false, false, false},
               [RUNG_BYTES]        = {TYPE_WORDS, WW_I32, false, false, false},
               [RUNG_LIMBS]        = {TYPE_WORDS, WW_I32, false, false, false},
               [RUNG_LONG]         = {TYPE_LONG, ALL_OF_THEM, false, true, false},
               [RUNG_HALF]         = {TYPE_HALF, ALL_OF_THEM, true, false, true},
               [RUNG_HALF_QUAD]    = {TYPE_HALF, ALL_OF_THEM, true, false, true},
               [RUNG_HALF_TALL]    = {TYPE_HALF, ALL_OF_THEM, true, false, true},
               [RUNG_HALF_COLUMN]  = {TYPE_HALF, ALL_OF_THEM, true, false, true},
               [RUNG_HALF_JOINED]  = {TYPE_HALF, ALL_OF_THEM, true, true, false},
               [RUNG_HALF_WARP]    = {TYPE_HALF, ALL_OF_THEM, true, true, false},
               [RUNG_HALF_PLAIN]   = {TYPE_HALF, ALL_OF_THEM, false, false, false},
               [RUNG_EIGHT]        = {TYPE_EIGHT, ALL_OF_THEM, false, false, true},
               [RUNG_EIGHT_PLAIN]  = {TYPE_EIGHT, ALL_OF_THEM, false, false, false},
               [RUNG_SPLIT]        = {TYPE_WORDS, WW_F32, true, false, false},
               [RUNG_DOUBLE]       = {TYPE_DOUBLE, ALL_OF_THEM, true, true, false},
               [RUNG_DOUBLE_PLAIN] = {TYPE_DOUBLE, ALL_OF_THEM, false, true, false},
               [RUNG_RESIDUES]     = {TYPE_DOUBLE, ALL_OF_THEM, false, false, false}};

bool rung_half(const Rung *r)
{
    return layouts[r->layouts].kind == TYPE_HALF || layouts[r->layouts].kind == TYPE_EIGHT;
}

bool rung_takes(const Rung *r, WwType type)
{
    const struct LayoutRow *l = &layouts[r->layouts];
    return l->kind == type_row(type)->kind && (l->only == ALL_OF_THEM || l->only == (int)type);
}

bool rung_batch(const Rung *r)
{
    return layouts[r->layouts].batch;
}

unsigned rung_splits(const Rung *r)
{
    bool clusters = r->layouts == RUNG_HALF_JOINED || r->layouts == RUNG_HALF_COLUMN;
    return r->layouts == RUNG_JOINED ? MOST_SPLITS : clusters ? CLUSTER : 1;
}

bool rung_maps(const Rung *r)
{
    return layouts[r->layouts].maps;
}

bool rung_turns(const Rung *r)
{
    return rung_maps(r) && layouts[r->layouts].kind == TYPE_HALF && !r->symmetric;
}

unsigned rung_more_splits(unsigned split)
{
    return split < 4 ? split + 1 : split < CLUSTER ? split + 2 : split * 2;
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
    if (!layouts[r->layouts].letters)
        return;
    end = stpcpy(end, g->x_col == 1 ? "_k" : "_n");
    if (!p->symmetric)
        stpcpy(end, g->y_row == 1 ? "k" : "n");
}
