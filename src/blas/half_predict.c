/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rung multiplies 16-bit operands the fastest, and how many blocks share out k: microseconds by a model.  At the end: which one 8-bit operands.
 *
 * Rungs of clusters of two or four (half.c): the slices of the busiest cluster, each tile's beginning and end, and copies of operands that tensor copies cannot
 * read.  half_joined: rounds of blocks, each with a fixed time; besides, the larger of what all slices take together and what one block takes for its
 * own, by how wide the accesses to the operands are.  half_column: a slice's lines on their way to a multiprocessor or out of the L2, and its requests.
 * The numbers were fitted on readings on an H200 (docs/data/half_random_h200.tsv, half_more_h200.tsv, tools/half_model); another GPU of sm_90 has the same
 * units in other numbers, and its choice may be a little off.  Where the model errs, a caller names the rung. */
#include <math.h>

#include "blas/blas.h"

enum {
    BOX         = 64,
    MOST_ROUNDS = 2 /* of half_column */,
    FLOAT_PIECE = 32 /* columns */,
    WARPS       = 4 /* of half_joined, that draw */,
    STRAY       = 4
};

/* Microseconds. */
static const struct HalfNumbers {
    double joined, wide; /* a round of blocks of 64 x 64; of 64 x 128 so much more */
    double other;        /* each other block of a cluster */
    double mirrored;     /* of A * A^T, results a second time */
    double slice[5],
        latency
            [5]; /* 64 x 64 of an operand by tensor copies, 8, 4, 2 bytes at a time, by tensor copies of lines that stray: of a multiprocessor, of a block */
    double pairs;               /* a launch of clusters of two */
    double unit;                /* a 256th of a slice of 256 columns */
    double tile;                /* in units: a column's share of a tile's end */
    double copy, copy_mb, both; /* a copied operand, a MB of it; so much less where both are */
    double ragged;              /* a tile of 256 columns whose lines tensor copies cannot write */
    double seen;                /* the end of a tile that leaves by tensor copies while the next is multiplied */
    double twice;               /* of A * A^T by half_joined: results a second time, a tile on each multiprocessor */
    double alone;               /* of latency, where each of four warps draws whole slices */
} numbers = {4.41,
             1.13,
             0,
             0,
             {0.101, 0.314, 0.559, 0.508, 0.166},
             {0.0849, 0.397, 0.581, 1.15, 0.125},
             2.78,
             0.00224,
             5.49,
             3,
             0.969,
             0,
             3.25,
             1.63,
             4.76,
             0.8};

/* Microseconds of half_column. */
static const struct ColumnNumbers {
    double base, each; /* a launch, each block of a cluster */
    double in, out,
        asked;    /* a line that comes to a multiprocessor; leaves the L2, by multiprocessors; that one asks for */
    double stray; /* so many more of the last two, of lines that stray */
    double least; /* a slice, at least */
    double end;   /* a column of a tile's results */
    double room;  /* so much of the card is for clusters of more than two */
} column = {2.51, 0.0945, 0.000921, 0.00266, 0.0012, 0.0736, 0.08, 0.0129, 0.835};

/* Of numbers.slice: how an operand is read. */
static unsigned access_of(const Problem *p, const Source *s, bool y, uint64_t apart)
{
    if (p->args.vector & (y ? 2 : 1) && p->batch == 1)
        return half_strays(&p->args, y) ? STRAY : 0;
    int grain = half_grain(s, p->batch > 1 ? apart : 0);
    return grain >= 8 ? 1 : grain == 4 ? 2 : 3;
}

static double joined_us(const WwBlas *b, const Problem *p, const Rung *r, unsigned each)
{
    const GemmArgs *g = &p->args;
    Source          x = source_x(g), y = source_y(g);
    unsigned        ax = access_of(p, &x, false, g->x_batch), ay = access_of(p, &y, !p->symmetric, g->y_batch);
    unsigned        high  = (unsigned)(r->columns / 64);
    double          slice = numbers.slice[ax] + high * numbers.slice[ay];
    double          late  = numbers.latency[ax] + high * numbers.latency[ay];
    uint64_t        tiles = rung_tiles(r, g) * p->batch, slices = rung_cover(g->k, r->slice);
    double          room   = half_room(b, r, tiles * each, each);
    double          rounds = (double)(tiles * each) / room;
    rounds                 = rounds > 2 ? rounds : ceil(rounds);
    double busy            = room < b->sms ? room : b->sms;
    busy                   = (double)(tiles * each) < busy ? (double)(tiles * each) : busy;
    double   all           = (double)(tiles * slices) * slice / busy;
    uint64_t most          = (slices + each - 1) / each; /* of one block */
    bool     alone         = (ax == 3 || ay == 3) && most >= WARPS;
    double   own           = rounds * (double)most * late * (alone ? numbers.alone : 1);
    double   end           = numbers.joined + (high > 1 ? numbers.wide : 0) + (each > 1 ? each * numbers.other : 0);
    double   twice         = r->symmetric ? numbers.twice * (double)tiles / b->sms : 0;
    return (all > own ? all : own) + rounds * end + twice;
}

static double pairs_us(const WwBlas *b, const Problem *p, const Rung *r)
{
    const GemmArgs *g       = &p->args;
    HalfShare       c       = half_share(b, r, g);
    bool            ragged  = p->result == 2 && !(g->vector & 4 && (p->turned ? g->m : g->n) % 8 == 0);
    int             columns = r->columns * (r->rows / HALF_ROWS); /* as many results as so many of 128 rows */
    double          ends = (double)(c.rounds + (c.share > 0)), end = numbers.tile * columns * numbers.unit;
    double          us     = numbers.pairs + (double)c.cost * numbers.unit;
    bool            beside = p->result == 2 && !ragged && r->layouts != RUNG_HALF_TALL; /* the next tile's slices */
    us += beside ? end + (ends - 1) * numbers.seen : ends * end;
    us += r->symmetric ? ends * numbers.mirrored : 0;
    bool cx = !(g->vector & 1), cy = !(g->vector & 2) && !r->symmetric;
    us += cx ? numbers.copy + 1e-6 * numbers.copy_mb * g->m * g->k : 0;
    us += cy ? numbers.copy + 1e-6 * numbers.copy_mb * g->n * g->k : 0;
    us -= cx && cy ? numbers.both : 0;
    if (ragged)
        us += numbers.ragged * (r->symmetric ? 2 : 1) * ends * columns / 256;
    return us * (double)p->batch;
}

static double column_us(const WwBlas *b, const Problem *p, const Rung *r, unsigned each)
{
    const GemmArgs *g      = &p->args;
    HalfColumn      c      = half_column(r, g, each);
    double          rounds = (double)c.blocks / (b->sms * (each > 2 ? column.room : 1));
    if (rounds > MOST_ROUNDS)
        return HUGE_VAL;
    rounds         = rounds > 1 ? ceil(rounds) : 1;
    double columns = g->y_row == 1 ? r->columns : (double)rung_cover(r->columns, BOX) * BOX;
    double asked   = (double)r->rows / c.wide * (half_strays(g, false) ? 1 + column.stray : 1) +
                   columns / c.high * (half_strays(g, true) ? 1 + column.stray : 1);
    double one = fmax(column.least, column.in * (r->rows + columns) * rounds);
    one        = fmax(one, column.out * asked * (double)c.blocks / b->sms);
    one        = fmax(one, column.asked * asked * rounds);
    return column.base + column.each * each + one * rung_cover(g->k, r->slice) + column.end * r->columns * rounds;
}

static bool could_be(const Problem *p, const Rung *r)
{
    bool pairs = r->layouts == RUNG_HALF || r->layouts == RUNG_HALF_TALL, quads = r->layouts == RUNG_HALF_QUAD;
    if (r->layouts == RUNG_HALF_COLUMN) /* it copies no operands, and a batch is many launches */
        return !p->symmetric && p->args.vector & 1 && p->args.vector & 2 && p->batch == 1;
    if (r->symmetric != p->symmetric || (!pairs && !quads && r->layouts != RUNG_HALF_JOINED))
        return false;
    if (p->result == 4 && r->columns % FLOAT_PIECE) /* its floats leave slowly */
        return false;
    return !quads || half_strays(&p->args, false) ||
           half_strays(&p->args, true); /* else they leave multiprocessors without work for nothing */
}

double half_us(const WwBlas *b, const Problem *p, const Rung *r, unsigned each)
{
    if (!could_be(p, r) || (p->turned && !rung_turns(r)) || (r->layouts == RUNG_HALF_COLUMN && each & (each - 1)))
        return HUGE_VAL;
    return r->layouts == RUNG_HALF_COLUMN   ? column_us(b, p, r, each)
           : r->layouts == RUNG_HALF_JOINED ? joined_us(b, p, r, each)
                                            : pairs_us(b, p, r);
}

static BlasChoice fastest(const WwBlas *b, const Problem *p)
{
    BlasChoice best   = {.split = 1};
    double     least  = 0;
    Problem    turned = *p;
    half_turn(&turned);
    for (size_t i = 0; rung_at(i); i++) {
        const Rung *r      = rung_at(i);
        uint64_t    slices = rung_cover(p->args.k, r->slice);
        if (!could_be(p, r))
            continue;
        for (unsigned each = 1; each == 1 || (each <= rung_splits(r) && each <= slices);
             each          = r->layouts == RUNG_HALF_COLUMN ? each * 2 : rung_more_splits(each))
            for (int turns = 0; turns <= (rung_turns(r) && half_turns(p)); turns++) {
                         double us = half_us(b, turns ? &turned : p, r, each);
                         if (!best.rung || us < least) {
                             best  = (BlasChoice){.rung = r, .split = each, .turned = turns};
                             least = us;
                }
            }
    }
    return best;
}

/* What the model asks of a product besides its sides and its batch. */
static int ways(const Problem *p)
{
    const GemmArgs *g = &p->args;
    Source          x = source_x(g), y = source_y(g);
    unsigned        ax = access_of(p, &x, false, 0), ay = access_of(p, &y, true, 0);
    return (g->x_col == 1) << 17 | (g->y_row == 1) << 16 | half_turns(p) << 15 | 1 << 14 | (int)ax << 11 |
           (int)ay << 8 | (p->result == 2) << 7 | p->symmetric << 6 | g->vector;
}

/* Larger tiles where every multiprocessor has one. */
static const Rung *half_warp_choose(const WwBlas *b, const Problem *p)
{
    const Rung *large = rung_for(p->symmetric, FOR_WARP_16);
    return rung_tiles(large, &p->args) * p->batch >= b->sms ? large : rung_for(p->symmetric, FOR_WARP_FEW);
}

const Rung *half_choose(WwBlas *b, Problem *p)
{
    if (!b->half[p->symmetric] && b->warp[p->symmetric])
        return half_warp_choose(b, p);
    if (!b->half[p->symmetric])
        return rung_for(p->symmetric, FOR_ANY_16);
    BlasChoice  none = {0};
    BlasChoice *c    = p->batch > 1 ? &none : choice_kept(b, &p->args, ways(p));
    if (!c->rung) {
        BlasChoice best = fastest(b, p);
        c->rung         = best.rung;
        c->split        = best.split;
        c->turned       = best.turned;
    }
    p->split  = c->split;
    p->turned = c->turned;
    return c->rung;
}

enum { EIGHT_TILE = 5 /* units: a column's share of a tile's end */ };

/* Of 8-bit operands, whose slices take as long as those of 16 bits with half of the elements: in units as above. */
static double eight_cost(const WwBlas *b, const Problem *p, const Rung *r)
{
    HalfShare c = half_share(b, r, &p->args);
    return (double)c.cost + (double)(c.rounds + (c.share > 0)) * EIGHT_TILE * r->columns;
}

const Rung *eight_choose(const WwBlas *b, const Problem *p)
{
    if (!b->half[p->symmetric])
        return rung_for(p->symmetric, FOR_ANY_8);
    const Rung *best = rung_for(p->symmetric, FOR_EIGHT);
    for (size_t i = 0; rung_at(i); i++) {
        const Rung *r = rung_at(i);
        if (r->symmetric == p->symmetric && r->layouts == RUNG_EIGHT && eight_cost(b, p, r) < eight_cost(b, p, best))
            best = r;
    }
    return best;
}
