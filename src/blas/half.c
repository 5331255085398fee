/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of 16-bit operands (kernels/gemm/half.cuh): which rung, which operands must be copied before, and the launch.
 *
 * On sm_90a tensor copies bring both operands, whatever they are contiguous along, if their lines begin on 16 bytes; an operand whose do not
 * is copied to the workspace first, as it is.  The choice between the two widths of tiles counts rounds of pairs of tiles, since a cluster has
 * two blocks.  Where a last round would leave half of the card idle, the k of its pairs is shared out among clusters; their sums are kept in the
 * workspace, and a counter for each warpgroup of a tile, zero before and after.
 * Elsewhere, and for products of no terms, half_plain reads operands in place.
 *
 * Not done: k shared out for few tiles of a whole product as evenly as the float rungs do; a batch in one launch. */
#include "blas/blas.h"

enum {
    SM_90        = 90,
    PAIR         = 2, /* blocks of a cluster, and tiles of a pair */
    WARPGROUPS   = 4, /* of a cluster that multiply */
    MOST_PARTS   = 8, /* of a tile's k: their sums are added by one warpgroup */
    LEAST_SLICES = 4, /* of a part */
    BOX          = 64,
    ROW_BYTES    = 128,
    GROUP        = 8
};

static uint64_t pairs_of(const Rung *r, const GemmArgs *g)
{
    uint64_t down = rung_cover(g->m, PAIR * r->rows);
    if (r->symmetric) /* squares of two rows of tiles, on and under the diagonal */
        return down * (down + 1) / 2 * (uint64_t)(PAIR * r->rows / r->columns);
    return down * rung_cover(g->n, r->columns);
}

static uint64_t slices_of(const Rung *r, const GemmArgs *g)
{
    return ((uint64_t)g->k + (uint64_t)r->slice - 1) / (uint64_t)r->slice;
}

/* In units of a 256th of a slice of 256 columns, by readings on an H200: a slice; what each part of a shared k costs the one that adds them up. */
static uint64_t slice_cost(const Rung *r)
{
    return r->columns == 256 ? 256 : 140;
}

static uint64_t part_cost(const Rung *r)
{
    return r->columns == 256 ? 1200 : 420;
}

/* Of the pairs of a last round, when its k is shared out among so many clusters each. */
static uint64_t last_cost(const Rung *r, uint64_t slices, uint64_t parts)
{
    return (slices + parts - 1) / parts * slice_cost(r) + (parts > 1 ? parts * part_cost(r) : 0);
}

/* Pairs of a last round whose k is shared out, and among how many clusters each; 1: they are as the others.  Symmetric tiles beside each other
 * on the diagonal stay together, since what they share must have the same bits. */
static uint64_t last_round(const WwBlas *b, const Rung *r, const GemmArgs *g, unsigned *parts)
{
    uint64_t clusters = b->sms / PAIR / 2 * 2, rest = pairs_of(r, g) % clusters, slices = slices_of(r, g), best = 1;
    for (uint64_t each = 2; rest && each <= MOST_PARTS && each <= clusters / rest && each * LEAST_SLICES <= slices;
         each++)
        if (last_cost(r, slices, each) < last_cost(r, slices, best))
            best = each;
    *parts = (unsigned)best;
    return best > 1 ? rest : 0;
}

bool half_can(const WwBlas *b, bool symmetric)
{
    static const char *const entry[2][2] = {{"gemm_half_bf16_kk", "gemm_half_narrow_bf16_kk"},
                                            {"aat_half_bf16_k", "aat_half_narrow_bf16_k"}};
    return b->capability == SM_90 && b->sms >= 2 * PAIR && blas_built(entry[symmetric][0]) &&
           blas_built(entry[symmetric][1]);
}

/* Slices' time, as many as the busiest cluster has, and each tile's beginning and end. */
static uint64_t cost(const WwBlas *b, const Problem *p, const Rung *r)
{
    unsigned parts;
    uint64_t tile     = 5 * (uint64_t)r->columns;
    uint64_t clusters = b->sms / PAIR / 2 * 2, rest = last_round(b, r, &p->args, &parts), pairs = pairs_of(r, &p->args);
    uint64_t whole = (pairs - rest + clusters - 1) / clusters, slices = slices_of(r, &p->args);
    return whole * (slices * slice_cost(r) + tile) + (rest ? last_cost(r, slices, parts) + tile : 0);
}

const Rung *half_choose(const WwBlas *b, const Problem *p)
{
    const Rung *wide = rung_for(p->symmetric, FOR_HALF), *narrow = rung_for(p->symmetric, FOR_NARROW);
    if (!b->half[p->symmetric])
        return rung_for(p->symmetric, FOR_ANY_16);
    return cost(b, p, narrow) < cost(b, p, wide) ? narrow : wide;
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Lines that begin on a row of a box. */
static size_t pitch(size_t length)
{
    return (length + BOX - 1) / BOX * BOX;
}

static size_t copied(const Source *s, int k)
{
    return s->along_k == 1 ? pitch((size_t)k) * (size_t)s->length * 2 : pitch((size_t)s->length) * (size_t)k * 2;
}

void half_tail(const WwBlas *b, const Problem *p, Work *w)
{
    unsigned parts;
    size_t   rest = (size_t)last_round(b, p->rung, &p->args, &parts);
    w->counters   = (rest * WARPGROUPS * 4 + 255) / 256 * 256;
    w->partials   = rest * parts * PAIR * (size_t)(p->rung->rows * p->rung->columns) * 4;
}

void half_work(const WwBlas *b, const Problem *p, Work *w)
{
    Source x = source_x(&p->args), y = source_y(&p->args);
    if (p->rung->layouts != RUNG_HALF)
        return;
    half_tail(b, p, w);
    w->x = p->args.vector & 1 ? 0 : copied(&x, p->args.k);
    w->y = p->args.vector & 2 || p->symmetric ? 0 : copied(&y, p->args.k);
}

static Status copy_operand(WwBlas *b, Source *s, int k, WwPtr to)
{
    bool   along_k = s->along_k == 1;
    size_t lines = (size_t)(along_k ? s->length : k), length = (size_t)(along_k ? k : s->length);
    WwCopy copy = {.element = 2, .rows = lines, .columns = length, .src = s->at, .dst = to, .ld_dst = pitch(length)};
    copy.ld_src = along_k ? s->along : s->along_k;
    TRY(ww_blas_copy_matrix(b, &copy));
    *s = along_k ? (Source){to, copy.ld_dst, 1, s->length} : (Source){to, 1, copy.ld_dst, s->length};
    return WW_OK;
}

Status half_map(WwBlas *b, const Source *s, int k, int side, GemmMap *map)
{
    bool     along_k = s->along_k == 1;
    uint64_t length = (uint64_t)(along_k ? k : s->length), lines = (uint64_t)(along_k ? s->length : k);
    uint64_t ld = along_k ? s->along : s->along_k;
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = "u16", /* bits pass unchanged */
                                        .address = s->at,
                                        .rank    = 2,
                                        .dim     = {length, lines},
                                        .stride  = {lines > 1 ? ld * 2 : pitch(length) * 2},
                                        .box     = {BOX, (uint32_t)(along_k ? side : BOX)},
                                        .swizzle = ROW_BYTES,
                                        .promote = 256},
                         map);
}

static Status map_result(WwBlas *b, const GemmArgs *g, GemmMap *map)
{
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = "u16",
                                        .address = g->c,
                                        .rank    = 2,
                                        .dim     = {(uint64_t)g->n, (uint64_t)g->m},
                                        .stride  = {g->m > 1 ? g->ldc * 2 : pitch((size_t)g->n) * 2},
                                        .box     = {BOX, BOX},
                                        .swizzle = ROW_BYTES},
                         map);
}

static Status run_maps(WwBlas *b, const Problem *p, HalfArgs *a, WwPtr to_x, WwPtr to_y, WwLaunch *w)
{
    const Rung     *r = p->rung;
    const GemmArgs *g = &a->g;
    Source          x = source_x(g), y = source_y(g);
    if (!(g->vector & 1))
        TRY(copy_operand(b, &x, g->k, to_x));
    if (p->symmetric)
        y = x;
    else if (!(g->vector & 2))
        TRY(copy_operand(b, &y, g->k, to_y));
    TRY(half_map(b, &x, g->k, r->rows, &a->x));
    TRY(half_map(b, &y, g->k, r->columns / PAIR, &a->y));
    if (a->store)
        TRY(map_result(b, g, &a->c));
    return half_grid(b, p, a, w);
}

Status half_grid(WwBlas *b, const Problem *p, HalfArgs *a, WwLaunch *w)
{
    const Rung     *r = p->rung;
    const GemmArgs *g = &a->g;
    unsigned        parts;
    uint64_t        pairs = pairs_of(r, g), rest = last_round(b, r, g, &parts), all = pairs - rest + rest * parts;
    uint64_t        clusters = b->sms / PAIR / 2 * 2;
    if (pairs > INT32_MAX / MOST_PARTS)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu pairs of tiles are more than the rung %s can count",
                           p->symmetric ? "ww_syrk" : "ww_gemm", (unsigned long long)pairs, r->name);
    a->whole   = (int)(pairs - rest);
    a->split   = (int)parts;
    a->group   = GROUP;
    w->grid    = (WwDim3){PAIR * (uint32_t)(all < clusters ? all : clusters), 1, 1};
    w->cluster = (WwDim3){PAIR, 1, 1};
    return WW_OK;
}

Status half_run(WwBlas *b, const Problem *p, const GemmArgs *g, WwPtr x, WwPtr y)
{
    char     entry[BLAS_NAME];
    HalfArgs a     = {.g = *g, .wide = p->result == 4};
    uint64_t tiles = rung_tiles(p->rung, g);
    WwLaunch w     = {
            .block = {(unsigned)p->rung->threads, 1, 1}, .shared = p->rung->shared, .args = (void *[]){&a}, .arg_count = 1};
    blas_entry(p, entry);
    a.from   = p->from ? p->from : g->c;
    a.ldfrom = p->from ? p->ldfrom : g->ldc;
    if (p->from ? p->from % 16 == 0 && p->ldfrom % 8 == 0 : g->vector & 4)
        a.g.vector |= 8;
    /* A tensor copy writes the last 16 bytes of a row whole.  An upper triangle that is read is not for it. */
    bool reads = g->beta << 1 != 0, upper = g->fill == GEMM_FILL_UPPER || g->fill == GEMM_FILL_FULL_FROM_UPPER;
    a.store = !a.wide && g->vector & 4 && g->n % 8 == 0 && (!reads || (a.g.vector & 8 && !upper));
    if (p->rung->layouts == RUNG_HALF)
        TRY(run_maps(b, p, &a, x, y, &w));
    else if (tiles > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu blocks are more than one grid can have", entry,
                           (unsigned long long)tiles);
    else
        w.grid = (WwDim3){(uint32_t)tiles, 1, 1};
    return blas_launch(b, entry, &w);
}
