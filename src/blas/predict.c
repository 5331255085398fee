/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rung multiplies floats fastest, and among how many blocks it shares out k, from a model, for symmetric products as for others: a
 * launch takes a fixed time, and as many rounds of blocks as its tiles need.
 *
 *   round   every multiprocessor with all the blocks that fit on it (room; a cluster does not leave its part of the card, so that those of
 *           some sizes leave multiprocessors without one); in the last round there may be fewer on each, which are faster, but crowd
 *           where room was first; clusters that need nearly all the room there is are not placed evenly (tight)
 *   block   as long as its multiplications, more where its operands are contiguous along k or not aligned, or where some of its rows
 *           are outside of one that is contiguous along k, which it then reads with a question at each access
 *   split   the blocks of a cluster share out k: shorter rounds, more blocks, and some time to add up; more blocks than a cluster has
 *           leave parts of the sums in memory (parts.c)
 *   shares  rungs that share out the tiles' slices among all blocks (stream) have one round, of as many slices, or parts of one, as the
 *           busiest block has, and time to add up
 *   copy    the tensor rungs want both operands contiguous along the result; others are copied before, in one launch (tensor.c).  What
 *           comes behind it begins on the multiprocessors that are free, so some get more blocks than their share
 *   memory  the operands and C once, besides; more where the rows of C are not aligned to 16 bytes (ragged), or are and end within a
 *           tile (partial)
 *
 * The numbers are in rates.def and rates_aat.def, fitted by tools/tune, which calls predict_by.  Not modelled: L2, what else runs on the
 * card; k and the clock only scale. */
#include <string.h>

#include "blas/blas.h"

enum { MOST_BLOCKS = 800 /* of a product that shares out k */ };

static const Rate rates[] = {
#define RATE(rung, blocks, ...) {LADDER, #rung, 1##blocks /* with a 0 in front it would be octal */, __VA_ARGS__},
#define SHARED(copy, copied, sum, summed)
#define LADDER "gemm"
#include "blas/rates.def"
#undef LADDER
#define LADDER "aat"
#include "blas/rates_aat.def"
#undef LADDER
#undef RATE
#undef SHARED
};

static const Common both[] = {
#define RATE(rung, ...)
#define SHARED(copy, copied, sum, summed) {copy, copied, sum, summed},
#include "blas/rates.def"
#include "blas/rates_aat.def"
#undef RATE
#undef SHARED
};

/* Blocks that find room at once on CARD_SMS multiprocessors, in clusters of 1 to CLUSTER, where 1 to MOST_AT_ONCE fit on each: what
 * cuOccupancyMaxActiveClusters says of an H200; but of one block each it says 117 in clusters of 3 and 102 of 6, while times are those of
 * two from 84 to 108, by the card, and from 97. */
static const int rooms[MOST_AT_ONCE][CLUSTER] = {{132, 132, 105, 120, 110, 96, 105, 120},
                                                 {264, 264, 237, 248, 235, 234, 224, 240},
                                                 {396, 396, 372, 368, 345, 372, 329, 360},
                                                 {528, 528, 489, 496, 470, 474, 483, 496}};

static double cover(double n, double tile)
{
    double whole = (double)(uint64_t)(n / tile);
    return whole * tile < n ? whole + 1 : whole;
}

/* Microseconds for what is copied before and added up after the kernel itself; both read and write. */
static double around(const Problem *p, const Common *all, const Work *w)
{
    const GemmArgs *g = &p->args;
    double          t = 0;
    if (w->x || w->y)
        t +=
            all->copy / 10 + 8.0 * ((w->x ? g->m : 0.0) + (w->y ? g->n : 0.0)) * g->k * all->copied / 100 / CARD_MEMORY;
    if (parts_of(p) > 1)
        t += all->sum / 10 + 8.0 * g->m * g->n * parts_of(p) * all->summed / 100 / CARD_MEMORY;
    return t;
}

/* Its operands once, and C. */
static double traffic(const Problem *p, const Rate *r)
{
    const GemmArgs *g      = &p->args;
    bool            ragged = !(g->vector & 4) && parts_of(p) == 1;
    double          c      = (double)g->m * g->n * (r->c + (ragged ? r->ragged : 0));
    double          o      = ((double)g->m + (p->symmetric ? 0 : g->n)) * g->k * r->operands;
    double          more   = ragged ? r->rags : g->vector & 4 && g->n % p->rung->columns ? r->partial : 0;
    return 4 * (c + o) / 100 / CARD_MEMORY + more / 10;
}

unsigned predict_room(const Problem *p, const Rate *r)
{
    static const unsigned digit[2][2] = {{1000, 100}, {10, 1}}; /* [X along k][Y along k] */
    return (unsigned)r->blocks / digit[p->args.x_col == 1][p->args.y_row == 1] % 10;
}

static double room(const WwBlas *b, const Problem *p, unsigned each)
{
    unsigned found = (unsigned)rooms[each - 1][(p->split < CLUSTER ? p->split : CLUSTER) - 1] * b->sms / CARD_SMS;
    return found ? found : 1;
}

/* Elements of k that the busiest of so many blocks computes for a tile's place, which share out all tiles (even.cuh; TENSOR: flow.h). */
static double shared_steps(const Problem *p, double launched)
{
    enum { FETCHERS = 128, RESULTS = 128, UNROLL = 8 }; /* threads; of a lane; steps of a group of warps */
    const Rung *g = p->rung;
    int         unit =
        g->layouts == RUNG_DRAWN ? UNROLL * ((g->threads - FETCHERS) * RESULTS / (g->rows * g->columns)) : g->slice;
    uint64_t tiles = rung_tiles(g, &p->args), blocks = (uint64_t)launched, shared = tiles % blocks;
    double   units = cover(p->args.k, unit);
    if (shared && tiles > blocks && g->layouts != RUNG_TENSOR)
        shared += blocks;
    uint64_t rounds = (tiles - shared) / blocks;
    return unit * (cover((double)shared * units, launched) + (double)rounds * units);
}

/* A block's time, as if its multiprocessor were its own.  launched: blocks that share out all tiles, or 0. */
static double pace_of(const Problem *p, const Rate *r, double rounds, double launched)
{
    const Rung     *g    = p->rung;
    const GemmArgs *a    = &p->args;
    bool            maps = tensor_rung(g);
    bool            x = maps ? tensor_turns(p) : a->x_col == 1, y = !maps && a->y_row == 1;
    int             slow = maps ? (int)tensor_drawn(p) & ~(int)x : ~a->vector;
    double          more = r->slow_x * (slow & 1) + r->slow_y * (slow >> 1 & 1) + r->along_x * x + r->along_y * y +
                  r->both * (maps ? slow == 3 : x && y);
    double edges = maps ? 0 : r->edge_x * (x && a->m % g->rows) + r->edge_y * (y && a->n % g->columns);
    double grain = g->layouts == RUNG_SHORT ? SHORT_GRAIN : maps || g->slice < GRAIN ? g->slice : GRAIN;
    double steps = cover(cover(a->k, g->slice), p->split) * g->slice;
    if (!maps && steps > a->k)
        steps = cover(a->k, grain) * grain;
    if (launched > 0)
        steps = shared_steps(p, launched);
    return g->rows * g->columns * steps / CARD_MULTIPLICATIONS * (1 + more / 100) * (1 + edges / 100 / rounds) * 100 /
           r->speed;
}

/* How many of so many blocks a multiprocessor has at most. */
static unsigned level(const WwBlas *b, const Problem *p, const Rate *r, double blocks)
{
    unsigned all = predict_room(p, r), j = 1;
    while (j < all && blocks > room(b, p, j))
        j++;
    return j;
}

/* The time of so many blocks' round, in that of a full one: by how many there are on a multiprocessor at most, and on the average. */
static double filled(const WwBlas *b, const Problem *p, const Rate *r, double blocks)
{
    unsigned j      = level(b, p, r, blocks);
    double   few[]  = {r->few0, r->few1, r->few2, r->few3};
    double   before = j > 1 ? room(b, p, j - 1) : 0, here = room(b, p, j);
    double   less = few[j - 1] / 100.0, more = j == predict_room(p, r) ? 1 : few[j] / 100.0;
    double   share = here > before ? (blocks - before) / (here - before) : 1,
           mean    = less + (more - less) * (share < 1 ? share : 1);
    return mean + r->step / 100.0 * (more - mean);
}

/* Clusters that need nearly all the room of so many blocks a multiprocessor. */
static bool tight(const WwBlas *b, const Problem *p, const Rate *r, double blocks)
{
    unsigned j = level(b, p, r, blocks);
    return p->split > 2 && j > 1 && blocks <= room(b, p, j) && blocks > NEARLY / 100.0 * room(b, p, j);
}

/* The time of what the last round has, after so many full ones: of those the multiprocessors finish at once first, later at any time. */
static double last(const WwBlas *b, const Problem *p, const Rate *r, double full, double blocks, bool copies)
{
    double slots = room(b, p, predict_room(p, r)), part = blocks > 0 ? filled(b, p, r, blocks) : 0;
    if (blocks > 0 && copies && part < r->behind / 100.0)
        part = r->behind / 100.0;
    if (full > 0 && blocks > 0)
        part += r->crowd / 100.0 * (1 - part);
    if (full > 0)
        part += (blocks / slots - part) * (full < 4 ? full / 4 : 1) / 2;
    return part;
}

double predict_by(const WwBlas *b, const Problem *p, const Rate *r, const Common *common)
{
    const Rung     *g    = p->rung;
    const GemmArgs *a    = &p->args;
    Work            copy = {0};
    double          all = predict_room(p, r), slots = room(b, p, predict_room(p, r));
    double          blocks   = (double)rung_tiles(g, a) * p->split;
    double          launched = g->stream ? (double)stream_blocks(b, p) : blocks;
    bool            even     = g->stream && launched <= slots;
    double          rounds   = cover(blocks, launched < slots ? launched : slots),
           full              = even ? 0 : (double)(uint64_t)(blocks / slots);
    if (tensor_rung(g))
        tensor_work(p, &copy);
    double part   = last(b, p, r, full, even ? launched : blocks - full * slots, copy.x || copy.y);
    double tenths = r->fixed + (a->k % g->slice ? r->tail * (1 + !(a->vector & 1) + !(a->vector & 2)) : 0);
    if (rounds > 1)
        tenths += r->second + (rounds - 2) * r->further;
    if (p->split > 1)
        tenths += r->joined;
    for (unsigned s = 2; s <= p->split && s <= CLUSTER; s *= 2)
        tenths += r->cluster / 10.0;
    if (launched > blocks)
        tenths += (launched / blocks - 1) * r->cluster / 10;
    if (even && launched != blocks)
        tenths += r->shares;
    double pace = pace_of(p, r, cover(blocks, slots), even ? launched : 0) * all;
    if (tight(b, p, r, blocks))
        pace *= 1 + r->tight / 100.0;
    return tenths / 10 + traffic(p, r) + around(p, common, &copy) + (full + part) * pace;
}

const Rate *predict_rate(size_t i, const Common **common)
{
    if (i >= sizeof rates / sizeof *rates)
        return NULL;
    *common = &both[strcmp(rates[i].ladder, "aat") == 0];
    return &rates[i];
}

double predict_us(const WwBlas *b, const Problem *p)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(rates[i].ladder, p->rung->ladder) == 0 && strcmp(rates[i].rung, p->rung->name) == 0 &&
            predict_room(p, &rates[i]))
            return predict_by(b, p, &rates[i], &both[p->symmetric]);
    return 0;
}

/* Of A * A^T the small tiles of skinny and brief were faster than PAST_L2 with few columns wherever both were read, and it than all others with
 * many rows and columns: those then read an operand larger than L2 again and again. */
bool predict_takes(const Rung *r, const GemmArgs *g)
{
    bool few = g->k <= SKINNY_K, many = g->m >= FLOW_ROWS && g->k >= FLOW_COLUMNS;
    if (r->symmetric && (r->use & PAST_L2 ? few : many))
        return false;
    return r->layouts != RUNG_SHORT || (g->k <= r->slice && g->vector & 4);
}

const Rung *predict_rung(const WwBlas *b, const Problem *problem, unsigned *split)
{
    const Rung *best  = NULL;
    double      least = 0;
    Problem     p     = *problem;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        if (p.symmetric != (strcmp(rates[i].ladder, "aat") == 0) || !predict_room(&p, &rates[i]))
            continue;
        p.rung = rung_find(rates[i].ladder, rates[i].rung);
        if (!predict_takes(p.rung, &p.args))
            continue;
        double   tiles  = (double)rung_tiles(p.rung, &p.args);
        unsigned blocks = rung_splits(p.rung);
        for (p.split = 1; p.split <= blocks; p.split = rung_more_splits(p.split)) {
            if (p.split > 1 && (tiles * p.split > (double)MOST_BLOCKS || (double)p.split * p.rung->slice > p.args.k))
                break; /* enough blocks; or some of them without a slice */
            double t = predict_by(b, &p, &rates[i], &both[p.symmetric]);
            if (!best || t < least) {
                best   = p.rung;
                least  = t;
                *split = p.split;
            }
        }
    }
    return best;
}
