/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of 16-bit and 8-bit operands (kernels/gemm/half.cuh): which rung, which operands must be copied before, and the launch.
 *
 * On sm_90a tensor copies bring both operands, whatever they are contiguous along, if their lines begin on 16 bytes; an operand whose do not
 * is copied to the workspace first, as it is.  The choice among the widths of tiles counts rounds of pairs of tiles, since a cluster has two
 * blocks; of half_quad, for lines that begin on 16 bytes and not on 128, rounds of four; tiles of half_tall lie in pairs beside each other.
 * half_column's blocks have a tile each, and share operands in clusters.  Where a last round would leave half of the card idle, the k of its pairs
 * is shared out among clusters; their sums are kept in the workspace, and a counter for each warpgroup of a tile, zero before and after.
 * half_joined reads in place what tensor copies cannot, and shares out the k of all its tiles.
 * half_warp takes 16-bit operands to the tensor cores of every GPU since sm_80, in place too.
 * Elsewhere, and for products of no terms, half_plain and eight_plain read operands in place.  The tensor cores take 8-bit operands along k alone: others are
 * turned into the workspace.
 *
 * Not done: a batch in one launch, but by half_joined. */
#include <stdio.h>

#include "blas/blas.h"

enum {
    SM_80          = 80,
    SM_87          = 87,
    SM_90          = 90,
    PAIR           = 2, /* blocks of a cluster, and tiles of a pair */
    WARPGROUPS     = 2, /* of a block that multiply */
    MOST_PARTS     = 8, /* of a tile's k: their sums are added by one warpgroup */
    LEAST_SLICES   = 4, /* of a cluster's share */
    SPLIT_PRODUCTS = 3, /* of a slice of floats that are two fp16 each */
    PLACES         = 2, /* for sums of a cluster: of a pair that it begins, of one that it goes on with */
    BOX            = 64,
    ROW_BYTES      = 128,
    SWIZZLED       = 8, /* lines after which the swizzle repeats */
    GROUP          = 8,
    LEAST_STAGES   = 4
};

uint64_t half_pairs(const Rung *r, int m, int n)
{
    uint64_t rows = rung_cover(m, r->rows), across = rung_cover(n, r->columns), pairs = 0;
    if (r->layouts == RUNG_HALF_QUAD) /* two of them */
        return (rows + 1) / PAIR * ((across + 1) / PAIR);
    if (r->layouts == RUNG_HALF_TALL) /* beside each other */
        return rows * ((across + 1) / PAIR);
    if (!r->symmetric) /* below each other, those of an odd last row beside each other */
        return rows / PAIR * across + rows % PAIR * ((across + 1) / PAIR);
    uint64_t pair = PAIR * (uint64_t)r->rows, columns = (uint64_t)r->columns, side = (uint64_t)n;
    for (uint64_t end = pair; end < side + pair; end += pair) /* with a column on or under the diagonal */
        pairs += ((end < side ? end : side) + columns - 1) / columns;
    return pairs;
}

static uint64_t pairs_of(const Rung *r, const GemmArgs *g)
{
    return half_pairs(r, g->m, g->n);
}

static uint64_t slices_of(const Rung *r, const GemmArgs *g)
{
    return ((uint64_t)g->k + (uint64_t)r->slice - 1) / (uint64_t)r->slice;
}

/* What the busiest cluster's time is made of, in units of a 256th of a slice of 256 columns, by how the blocks of a cluster lie and the width of
 * tiles: a slice; two parts of a pair (of four tiles), the sums of one written and read; each part more; shares whose pairs do not begin together,
 * so that little of what they read is in the L2.  8-bit slices, whose sums are added up as floats, take 6/5 of the time; those of a Y along n a little
 * more, the more the wider its boxes of 64 are than the tile. */
static const struct ShareCost {
    enum { BELOW, FOUR, BESIDE } blocks;
    int      columns;
    uint64_t slice, join, more, skew;
} share_costs[] = {
    {BELOW, 256, 273, 4138, 69, 1230},  {BELOW, 224, 240, 4729, 0, 3692},  {BELOW, 208, 233, 5323, 0, 2600},
    {BELOW, 192, 204, 4137, 0, 1681},   {BELOW, 176, 209, 4995, 0, 833},   {BELOW, 160, 188, 3320, 0, 1552},
    {BELOW, 144, 184, 3165, 0, 206},    {BELOW, 128, 149, 3022, 0, 987},   {BELOW, 96, 139, 2819, 1, 77},
    {BELOW, 80, 145, 1931, 220, 157},   {BELOW, 64, 114, 1174, 445, 1026}, {FOUR, 256, 265, 3159, 320, 2071},
    {FOUR, 192, 202, 3588, 0, 2117},    {FOUR, 160, 167, 4818, 0, 1860},   {FOUR, 128, 140, 2215, 0, 1603},
    {FOUR, 96, 116, 1740, 1, 2289},     {FOUR, 80, 107, 1941, 1, 2289},    {BESIDE, 160, 346, 4153, 550, 2993},
    {BESIDE, 144, 312, 4390, 308, 3047}};

/* The same of a request for a line of 128 bytes; how many more one that strays takes, and what of a line of Y a block asks for. */
static const struct RequestCost {
    double line, stray, share;
} request_costs = {0.664, 0.573, 0.38};

/* Clusters of a launch; of those of four, 30 run at once on 132 multiprocessors, since parts of the card have no whole number of them. */
static uint64_t clusters_of(const WwBlas *b, const Rung *r)
{
    if (r->layouts == RUNG_HALF_QUAD)
        return b->sms * 10 / 44 > 1 ? b->sms * 10 / 44 : 1;
    return b->sms / PAIR / 2 * 2;
}

static uint32_t cluster_blocks(const Rung *r)
{
    return r->layouts == RUNG_HALF_QUAD ? 2 * PAIR : PAIR;
}

static uint64_t along_n(const Rung *r, uint64_t slice)
{
    int over = (BOX - r->columns % BOX) % BOX;
    return slice * (uint64_t)(102 + 30 * over / r->columns) / 100;
}

bool half_strays(const GemmArgs *g, bool y)
{
    Source   s  = y ? source_y(g) : source_x(g);
    uint64_t ld = s.along_k == 1 ? s.along : s.along_k;
    return g->vector & (y ? 2 : 1) && 2 * ld % ROW_BYTES;
}

/* Blocks of a cluster of half_quad and half_tall each order a half of X. */
static bool halves_x(const Rung *r)
{
    return r->layouts == RUNG_HALF_QUAD || r->layouts == RUNG_HALF_TALL;
}

/* What a slice takes at least where lines stray: its requests, of which a block of a cluster makes those of X and half of those of Y; of half_tall the other
 * way round. */
static uint64_t requests(const Rung *r, const GemmArgs *g)
{
    bool   x = half_strays(g, false), y = r->symmetric ? x : half_strays(g, true);
    double rows    = r->rows * (halves_x(r) ? request_costs.share : 1),
           columns = r->columns * (r->layouts != RUNG_HALF_TALL ? request_costs.share : 1);
    double lines   = rows * (1 + x * request_costs.stray) + columns * (1 + y * request_costs.stray);
    return x || y ? (uint64_t)(lines * request_costs.line) : 0;
}

static HalfShare costed(const Rung *r, const GemmArgs *g, HalfShare s, bool skewed)
{
    const struct ShareCost *c   = share_costs;
    int                     lie = r->layouts == RUNG_HALF_QUAD ? FOUR : r->layouts == RUNG_HALF_TALL ? BESIDE : BELOW;
    while ((int)c->blocks < lie || c->columns > r->columns)
        c++;
    uint64_t slice = r->layouts == RUNG_SPLIT        ? SPLIT_PRODUCTS * c->slice
                     : r->layouts == RUNG_EIGHT      ? c->slice * 6 / 5
                     : r->symmetric || g->y_row == 1 ? c->slice
                                                     : along_n(r, c->slice);
    uint64_t least = rung_maps(r) && r->layouts != RUNG_EIGHT ? requests(r, g) : 0;
    s.cost         = (s.rounds * s.slices + s.share) * (slice > least ? slice : least);
    if (s.share)
        s.cost += c->join + (s.parts - 2) * c->more + (skewed ? c->skew : 0);
    return s;
}

/* Each pair of the last round by the same number of clusters. */
static HalfShare in_parts(const Rung *r, const GemmArgs *g, HalfShare s, uint64_t rest, uint64_t parts)
{
    s.share    = (s.slices + parts - 1) / parts;
    s.span     = s.share * parts;
    s.parts    = parts;
    s.clusters = rest * parts;
    return costed(r, g, s, false);
}

/* The slices of the last round and of the one before it evenly. */
static HalfShare evenly(const Rung *r, const GemmArgs *g, HalfShare s, uint64_t rest, uint64_t clusters)
{
    uint64_t all = (rest + (s.rounds ? clusters : 0)) * s.slices, share = (all + clusters - 1) / clusters;
    s.rounds -= s.rounds > 0;
    s.span     = s.slices;
    s.share    = share > LEAST_SLICES ? share : LEAST_SLICES;
    s.parts    = (s.slices + s.share - 2) / s.share + 1;
    s.clusters = (all + s.share - 1) / s.share;
    return costed(r, g, s, true);
}

HalfShare half_share(const WwBlas *b, const Rung *r, const GemmArgs *g)
{
    uint64_t  clusters = clusters_of(b, r), pairs = pairs_of(r, g), rest = pairs % clusters;
    HalfShare down = {.rounds = pairs / clusters, .slices = slices_of(r, g)}, whole = down, best, other;
    whole.rounds += rest > 0;
    whole = costed(r, g, whole, false);
    best  = whole;
    for (uint64_t each = 2; rest && each <= MOST_PARTS && each <= clusters / rest; each++) {
        other = in_parts(r, g, down, rest, each);
        if (other.share >= LEAST_SLICES && (each - 1) * other.share < other.slices && other.cost < best.cost)
            best = other;
    }
    if (rest) {
        other = evenly(r, g, down, rest, clusters);
        if (other.parts <= MOST_PARTS && other.cost < best.cost)
            best = other;
    }
    return best.span * 2 * clusters > INT32_MAX ? whole : best;
}

bool half_turns(const Problem *p)
{
    return !p->symmetric && p->result == 2 && p->args.beta << 1 == 0 && !p->ends;
}

void half_turn(Problem *p)
{
    const GemmArgs g = p->args;
    const WwPtr   *x = p->x;
    p->args.m        = g.n;
    p->args.n        = g.m;
    p->args.x        = g.y;
    p->args.y        = g.x;
    p->args.x_row    = g.y_col;
    p->args.x_col    = g.y_row;
    p->args.y_row    = g.x_col;
    p->args.y_col    = g.x_row;
    p->args.x_batch  = g.y_batch;
    p->args.y_batch  = g.x_batch;
    p->args.vector   = (g.vector & ~3) | (g.vector & 1) << 1 | (g.vector >> 1 & 1);
    p->x             = p->y;
    p->y             = x;
    p->turned        = true;
}

bool half_can(const WwBlas *b, bool symmetric)
{
    for (size_t i = 0; rung_at(i); i++) {
        const Rung *r = rung_at(i);
        char        entry[BLAS_NAME];
        if (r->symmetric != symmetric || (!rung_maps(r) && r->layouts != RUNG_HALF_JOINED))
            continue;
        snprintf(entry, sizeof entry, "%s_%s_%s", symmetric ? "aat" : "gemm", r->name,
                 r->layouts == RUNG_EIGHT ? "e4m3"
                 : symmetric              ? "bf16_k"
                                          : "bf16_kk");
        if (!blas_built(entry))
            return false;
    }
    return b->capability == SM_90 && b->sms >= 2 * PAIR;
}

bool half_warp_can(const WwBlas *b, bool symmetric)
{
    return b->capability >= SM_80 && blas_built(symmetric ? "aat_half_warp_bf16_k" : "gemm_half_warp_bf16_kk");
}

/* ---- operands ---------------------------------------------------------------------------------------------------- */

/* Can tensor copies and multipliers take it where it lies? */
static bool in_place(const Problem *p, const Source *s, unsigned bit)
{
    return (unsigned)p->args.vector & bit && (p->operand > 1 || s->along_k == 1);
}

/* Lines that begin on a row of a box. */
static size_t pitch(size_t length)
{
    return (length + BOX - 1) / BOX * BOX;
}

static size_t copied(const Source *s, size_t each, int k)
{
    return s->along_k == 1 || each == 1 ? pitch((size_t)k) * (size_t)s->length * each
                                        : pitch((size_t)s->length) * (size_t)k * each;
}

void half_tail(const WwBlas *b, const Problem *p, Work *w)
{
    const Rung *r = p->rung;
    HalfShare   s = half_share(b, p->rung, &p->args);
    if (!s.share)
        return;
    size_t pairs = (size_t)(pairs_of(p->rung, &p->args) - s.rounds * clusters_of(b, r));
    w->counters  = (pairs * WARPGROUPS * cluster_blocks(r) * 4 + 255) / 256 * 256;
    w->partials  = (size_t)s.clusters * PLACES * cluster_blocks(r) * (size_t)(r->rows * r->columns) * 4;
}

void half_work(const WwBlas *b, const Problem *p, Work *w)
{
    Source x = source_x(&p->args), y = source_y(&p->args);
    if (!rung_maps(p->rung))
        return;
    if (p->rung->layouts != RUNG_HALF_COLUMN)
        half_tail(b, p, w);
    w->x = in_place(p, &x, 1) ? 0 : copied(&x, p->operand, p->args.k);
    w->y = in_place(p, &y, 2) || p->symmetric ? 0 : copied(&y, p->operand, p->args.k);
}

/* 8-bit ones are turned where they do not lie along k. */
static Status copy_operand(WwBlas *b, Source *s, size_t each, int k, WwPtr to)
{
    bool   along_k = s->along_k == 1, turns = !along_k && each == 1;
    size_t lines = (size_t)(along_k ? s->length : k), length = (size_t)(along_k ? k : s->length);
    WwCopy copy = {.element = each,
                   .trans   = turns,
                   .rows    = lines,
                   .columns = length,
                   .src     = s->at,
                   .dst     = to,
                   .ld_dst  = pitch(turns ? lines : length)};
    copy.ld_src = along_k ? s->along : s->along_k;
    TRY(ww_blas_copy_matrix(b, &copy));
    *s = along_k || turns ? (Source){to, copy.ld_dst, 1, s->length} : (Source){to, 1, copy.ld_dst, s->length};
    return WW_OK;
}

Status half_map(WwBlas *b, const Source *s, size_t each, int k, int side, int deep, GemmMap *map)
{
    bool     along_k = s->along_k == 1;
    uint64_t length = (uint64_t)(along_k ? k : s->length), lines = (uint64_t)(along_k ? s->length : k);
    uint64_t ld = along_k ? s->along : s->along_k;
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = each == 1 ? "u8" : "u16", /* bits pass unchanged */
                                        .address = s->at,
                                        .rank    = 2,
                                        .dim     = {length, lines},
                                        .stride  = {lines > 1 ? ld * each : pitch(length) * each},
                                        .box     = {(uint32_t)(ROW_BYTES / each), (uint32_t)(along_k ? side : deep)},
                                        .swizzle = ROW_BYTES,
                                        .promote = 128},
                         map);
}

/* Of an operand along k: the last lines, where they do not fill a box of so many. */
static Status map_edge(WwBlas *b, const Source *s, size_t each, int k, int lines, GemmMap *map, int *rest)
{
    *rest = (s->length % lines + SWIZZLED - 1) / SWIZZLED * SWIZZLED;
    return s->along_k == 1 && *rest && *rest < lines ? half_map(b, s, each, k, *rest, BOX, map) : WW_OK;
}

/* Of C, by boxes of so many lines of so many bytes, in memory as well. */
static Status map_result(WwBlas *b, const Problem *p, const GemmArgs *g, unsigned line, unsigned lines, GemmMap *map)
{
    size_t each = p->result;
    int    m = p->turned ? g->n : g->m, n = p->turned ? g->m : g->n;
    return ww_tensor_map(b->device,
                         &(WwTensorMap){.type    = each == 4 ? "u32" : "u16",
                                        .address = g->c,
                                        .rank    = 2,
                                        .dim     = {(uint64_t)n, (uint64_t)m},
                                        .stride  = {(m > 1 ? g->ldc : pitch((size_t)n)) * each},
                                        .box     = {(uint32_t)(line / each), lines},
                                        .swizzle = line & (line - 1) ? 0 : line},
                         map);
}

/* Does a slice of Y take no more requests than it has lines of 128 bytes?  Where its lines straddle two each, or boxes are wider than the tile, half of
 * them for each block of a cluster is faster than all of them without a wait for the other block. */
static bool boxes_fit(const Rung *r, const Source *y, size_t each)
{
    bool   along_k = y->along_k == 1;
    size_t ld      = along_k ? y->along : y->along_k;
    return (y->at | ld * each) % ROW_BYTES == 0 && (along_k || r->columns % BOX == 0);
}

/* Dynamic shared memory of a block with a ring of so many slices. */
static uint32_t joined_shared(const Rung *r, int columns, int stages)
{
    return (uint32_t)(1024 + stages * r->slice * (r->rows + columns) * 2);
}

enum { SM_BYTES = 228 << 10, BLOCK_BYTES = 1024 + 512, BLOCKS = 3 };

/* So many blocks a multiprocessor; clusters of more than two do not fill every part of the card. */
static uint64_t room_for(const WwBlas *b, uint64_t n, unsigned each)
{
    return n * b->sms * (each > PAIR ? 27 : 32) / 32;
}

/* Slices in the ring of each of so many blocks, `each` of them a cluster: as many as fit where all of them run at once. */
static int stages_of(const WwBlas *b, const Rung *r, int columns, uint64_t blocks, unsigned each)
{
    int stages = LEAST_STAGES;
    for (unsigned n = BLOCKS - 1; n; n--)
        while (blocks <= room_for(b, n, each) && stages < JOINED_STAGES &&
               n * (joined_shared(r, columns, stages + 1) + BLOCK_BYTES) <= SM_BYTES)
            stages++;
    return stages;
}

HalfColumn half_column(const Rung *r, const GemmArgs *g, unsigned each)
{
    uint64_t   rows = rung_cover(g->m, r->rows), across = rung_cover(g->n, r->columns);
    HalfColumn best = {0};
    for (unsigned high = 1; high <= each; high++) {
        unsigned wide = each / high;
        if (high * wide != each)
            continue;
        HalfColumn c = {.high   = high,
                        .wide   = wide,
                        .blocks = (uint64_t)each * ((rows + high - 1) / high) * ((across + wide - 1) / wide),
                        .lines  = (double)r->rows / wide + (double)r->columns / high};
        if (!best.high || (double)c.blocks * c.lines < (double)best.blocks * best.lines)
            best = c;
    }
    return best;
}

static Status column_grid(WwBlas *b, const Problem *p, HalfArgs *a, WwLaunch *w)
{
    unsigned   each   = p->split ? p->split : 1;
    HalfColumn c      = half_column(p->rung, &a->g, each);
    uint64_t   blocks = c.blocks;
    if (blocks > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "ww_gemm: %llu blocks of %s are more than one grid can have",
                           (unsigned long long)blocks, p->rung->name);
    a->group = (int)c.high;
    int columns =
        a->g.y_row == 1 ? p->rung->columns : (int)rung_cover(p->rung->columns, BOX) * BOX; /* of Y in a slice */
    a->stages  = stages_of(b, p->rung, columns, blocks, each);
    w->shared  = joined_shared(p->rung, columns, a->stages);
    w->grid    = (WwDim3){(uint32_t)blocks, 1, 1};
    w->cluster = (WwDim3){each, 1, 1};
    return WW_OK;
}

static Status run_maps(WwBlas *b, const Problem *p, HalfArgs *a, WwPtr to_x, WwPtr to_y, WwLaunch *w)
{
    const Rung     *r = p->rung;
    const GemmArgs *g = &a->g;
    Source          x = source_x(g), y = source_y(g);
    if (!in_place(p, &x, 1))
        TRY(copy_operand(b, &x, p->operand, g->k, to_x));
    if (p->symmetric)
        y = x;
    else if (!in_place(p, &y, 2))
        TRY(copy_operand(b, &y, p->operand, g->k, to_y));
    bool column = r->layouts == RUNG_HALF_COLUMN, tall = r->layouts == RUNG_HALF_TALL;
    bool whole  = tall || column;
    int  rows   = halves_x(r) ? r->rows / PAIR : r->rows,
        columns = whole ? r->columns : r->columns / PAIR; /* which one block orders */
    a->alone    = !halves_x(r) && boxes_fit(r, &y, p->operand);
    TRY(half_map(b, &x, p->operand, g->k, rows, BOX, &a->x));
    TRY(half_map(b, &y, p->operand, g->k, columns, !column && r->columns / PAIR % BOX ? BOX / PAIR : BOX, &a->y));
    TRY(map_edge(b, &x, p->operand, g->k, rows, &a->x_edge, &a->x_rest));
    TRY(map_edge(b, &y, p->operand, g->k, columns, &a->y_edge, &a->y_rest));
    if (column)
        return column_grid(b, p, a, w);
    if (a->store)
        TRY(map_result(b, p, g, ROW_BYTES, BOX, &a->c));
    unsigned last = (unsigned)r->columns % BOX;
    if (a->store && last && p->turned)
        TRY(map_result(b, p, g, ROW_BYTES, last, &a->c_last));
    else if (a->store && last && !a->wide)
        TRY(map_result(b, p, g, 2 * last, BOX, &a->c_last));
    return half_grid(b, p, a, w);
}

Status half_grid(WwBlas *b, const Problem *p, HalfArgs *a, WwLaunch *w)
{
    const Rung     *r     = p->rung;
    const GemmArgs *g     = &a->g;
    uint64_t        pairs = pairs_of(r, g), clusters = clusters_of(b, r);
    HalfShare       s = half_share(b, r, g);
    if (pairs > INT32_MAX / MOST_PARTS)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu pairs of tiles are more than the rung %s can count",
                           p->symmetric ? "ww_syrk" : "ww_gemm", (unsigned long long)pairs, r->name);
    uint64_t used = s.rounds ? clusters : s.clusters;
    a->pairs      = (int)pairs;
    a->whole      = (int)(s.share ? s.rounds * clusters : pairs);
    a->span       = (int)s.span;
    a->share      = (int)s.share;
    a->group      = GROUP;
    w->grid    = (WwDim3){cluster_blocks(r) * (uint32_t)(s.share ? used : pairs < clusters ? pairs : clusters), 1, 1};
    w->cluster = (WwDim3){cluster_blocks(r), 1, 1};
    return WW_OK;
}

/* How many bytes at a time an operand can be read by, at most 16: what its address and the distances between its lines allow. */
int half_grain(const Source *s, uint64_t apart)
{
    uint64_t all = s->at | 2 * (s->along == 1 ? s->along_k : s->along) | 2 * apart | 16;
    return (int)(all & -all);
}

double half_room(const WwBlas *b, const Rung *r, uint64_t blocks, unsigned each)
{
    unsigned n = SM_BYTES / (joined_shared(r, r->columns, stages_of(b, r, r->columns, blocks, each)) + BLOCK_BYTES);
    return (double)room_for(b, n < BLOCKS ? n : BLOCKS, each);
}

static void set_grains(HalfArgs *a, size_t batch)
{
    Source x = source_x(&a->g), y = source_y(&a->g);
    a->x_grain = half_grain(&x, batch > 1 ? a->g.x_batch : 0);
    a->y_grain = half_grain(&y, batch > 1 ? a->g.y_batch : 0);
}

/* The tiles of half_warp.  Three slices in the ring, of which a multiprocessor of sm_90 and later has room for two blocks, and smaller ones for one;
 * those of sm_80 and sm_87 have room for two blocks of two. */
static void run_warps(const WwBlas *b, const Problem *p, HalfArgs *a, size_t batch, WwLaunch *w)
{
    a->stages = b->capability == SM_80 || b->capability == SM_87 ? 2 : 3;
    w->shared = joined_shared(p->rung, p->rung->columns, a->stages);
    set_grains(a, batch);
}

/* The tiles of half_joined: operands by tensor copies, or in place where those cannot read them. */
static Status run_joined(WwBlas *b, const Problem *p, HalfArgs *a, size_t batch, uint64_t tiles, WwLaunch *w)
{
    Source   x = source_x(&a->g), y = source_y(&a->g);
    unsigned each = p->split ? p->split : 1;
    set_grains(a, batch);
    a->x_grain = a->g.vector & 1 && batch == 1 ? 0 : a->x_grain;
    a->y_grain = a->g.vector & 2 && batch == 1 ? 0 : a->y_grain;
    a->stages  = stages_of(b, p->rung, p->rung->columns, tiles * each * batch, each);
    w->shared  = joined_shared(p->rung, p->rung->columns, a->stages);
    w->cluster = (WwDim3){each, 1, 1};
    if (!a->x_grain) {
        TRY(half_map(b, &x, 2, a->g.k, p->rung->rows, BOX, &a->x));
        TRY(map_edge(b, &x, 2, a->g.k, p->rung->rows, &a->x_edge, &a->x_rest));
    }
    if (!a->y_grain) {
        TRY(half_map(b, &y, 2, a->g.k, p->rung->columns, BOX, &a->y));
        TRY(map_edge(b, &y, 2, a->g.k, p->rung->columns, &a->y_edge, &a->y_rest));
    }
    return WW_OK;
}

/* A block a tile, or several that share out its k. */
static Status run_tiles(WwBlas *b, const Problem *p, HalfArgs *a, size_t batch, const char *entry, WwLaunch *w)
{
    uint64_t           tiles  = rung_tiles(p->rung, &a->g);
    unsigned long long blocks = tiles * (p->split ? p->split : 1);
    if (blocks > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu blocks are more than one grid can have", entry, blocks);
    w->grid = (WwDim3){(uint32_t)blocks, 1, (uint32_t)batch};
    if (p->rung->layouts == RUNG_HALF_WARP)
        run_warps(b, p, a, batch, w);
    return p->rung->layouts == RUNG_HALF_JOINED ? run_joined(b, p, a, batch, tiles, w) : WW_OK;
}

Status half_run(WwBlas *b, const Problem *p, const GemmArgs *g, size_t first, size_t batch, WwPtr x, WwPtr y)
{
    char     entry[BLAS_NAME];
    HalfArgs a = {.g = *g, .wide = p->result == 4};
    WwLaunch w = {
        .block = {(unsigned)p->rung->threads, 1, 1}, .shared = p->rung->shared, .args = (void *[]){&a}, .arg_count = 1};
    blas_entry(p, entry);
    a.scale_x       = p->scale_x && g->k ? p->scale_x + first * (size_t)g->m * sizeof(float) : 0;
    a.scale_y       = p->scale_y && g->k ? p->scale_y + first * (size_t)g->n * sizeof(float) : 0;
    a.ends          = p->ends;
    a.end           = p->end;
    a.from          = p->from ? p->from : g->c;
    a.ldfrom        = p->from ? p->ldfrom : g->ldc;
    uint64_t places = g->c | a.from, lines = g->ldc | a.ldfrom | (batch > 1 ? g->c_batch : 0);
    if (places % (2 * p->result) == 0 && lines % 2 == 0)
        a.g.vector |= GEMM_PAIRS;
    if (places % (4 * p->result) == 0 && lines % 4 == 0)
        a.g.vector |= GEMM_FOURS;
    /* A tensor copy writes the last 16 bytes of a row whole.  An upper triangle that is read is not for pieces. */
    bool reads = g->beta << 1 != 0, upper = g->fill == GEMM_FILL_UPPER || g->fill == GEMM_FILL_FULL_FROM_UPPER;
    a.staged = !a.wide && !(reads && upper);
    a.turned = p->turned;
    a.store  = g->vector & 4 && (size_t)(p->turned ? g->m : g->n) * p->result % 16 == 0 && (a.wide ? !reads : a.staged);
    if (rung_maps(p->rung))
        TRY(run_maps(b, p, &a, x, y, &w));
    else
        TRY(run_tiles(b, p, &a, batch, entry, &w));
    return blas_launch(b, entry, &w);
}
