/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rung multiplies floats fastest, and among how many blocks it shares out k, from a model: a launch takes a fixed time, and as many
 * rounds of blocks as its tiles need.
 *
 *   round   every multiprocessor with all the blocks that fit on it; in the last round there may be fewer on each, which are faster
 *   split   the blocks of a cluster share out k: shorter rounds, more blocks, and some time to add up; more blocks than a cluster has
 *           leave parts of the sums in memory (parts.c)
 *   shared  rungs that share out the last round's tiles (stream) have no last round, but time to add up
 *   copy    the tensor rungs want both operands contiguous along the result; others are copied before, in one launch (tensor.c)
 *   memory  the operands and C once, besides; more where the rows of C are not aligned to 16 bytes (ragged)
 *
 * The numbers are in rates.def, fitted by tools/tune, which has the same model.  Not modelled: L2, what else runs on the card; k and
 * the clock only scale. */
#include <string.h>

#include "blas/blas.h"

typedef struct Rate {
    const char *rung;
    int         blocks, speed, lone, fixed, each, memory, slow, along, ragged, cluster;
} Rate;

typedef struct Shared {
    int copy, copied, sum, summed, joined;
} Shared;

static const Rate rates[] = {
#define RATE(rung, blocks, speed, lone, fixed, each, memory, slow, along, ragged, cluster)                             \
    {#rung, blocks, speed, lone, fixed, each, memory, slow, along, ragged, cluster},
#define SHARED(copy, copied, sum, summed, joined)
#include "blas/rates.def"
#undef RATE
#undef SHARED
};

static const Shared shared = {
#define RATE(rung, blocks, speed, lone, fixed, each, memory, slow, along, ragged, cluster)
#define SHARED(copy, copied, sum, summed, joined) copy, copied, sum, summed, joined
#include "blas/rates.def"
#undef RATE
#undef SHARED
};

static const double peak   = 128 * 1980; /* multiplications of a multiprocessor in a microsecond */
static const double memory = 4e6;        /* bytes a microsecond */

enum { MOST_BLOCKS = 800 }; /* of a product that shares out k */

static double cover(double n, double tile)
{
    double whole = (double)(uint64_t)(n / tile);
    return whole * tile < n ? whole + 1 : whole;
}

/* Microseconds for what is copied before and added up after the kernel itself; both read and write. */
static double around(const Problem *p)
{
    const GemmArgs *g = &p->args;
    Work            w = {0};
    double          t = 0;
    if (tensor_rung(p->rung))
        tensor_work(p, &w);
    if (w.x || w.y)
        t += shared.copy / 10.0 + 8.0 * ((w.x ? g->m : 0.0) + (w.y ? g->n : 0.0)) * g->k * shared.copied / 100 / memory;
    if (parts_of(p) > 1)
        t += shared.sum / 10.0 + 8.0 * g->m * g->n * parts_of(p) * shared.summed / 100 / memory;
    return t;
}

/* Of a block alone, while all of them are there. */
static double pace_of(const Problem *p, const Rate *r)
{
    const Rung     *g    = p->rung;
    const GemmArgs *a    = &p->args;
    bool            maps = tensor_rung(g);
    unsigned        slow = maps ? tensor_drawn(p) : ~(unsigned)a->vector;
    double          more = r->slow * (double)((slow & 1) + (slow >> 1 & 1));
    if (!maps)
        more += r->along * ((a->x_col == 1) + (a->y_row == 1));
    double steps = cover(cover(a->k, g->slice), p->split) * g->slice;
    if (!maps && steps > a->k) /* tensor copies fill slices up with zeros, which are multiplied too */
        steps = a->k;
    return g->rows * g->columns * steps / peak * (1 + more / 100) * 100 / r->speed;
}

/* Multiprocessors that clusters find room on, one block each: a cluster does not leave its part of the card. */
static double room(const WwBlas *b, unsigned split)
{
    unsigned whole = b->sms * (split >= 5 ? 91 : split == 4 ? 97 : split == 3 ? 90 : 100) / 100;
    return whole ? whole : 1;
}

/* `last` blocks on each multiprocessor, in blocks' time while all of them are there. */
static double last_round(const Rate *r, double last)
{
    return last * 100 / (r->blocks == 1 ? 100 : r->lone + (100 - r->lone) * (last - 1) / (r->blocks - 1));
}

static double duration(const WwBlas *b, const Problem *p, const Rate *r)
{
    const Rung     *g    = p->rung;
    const GemmArgs *a    = &p->args;
    double          pace = pace_of(p, r), each = r->each / 10.0, sms = room(b, p->split), slots = sms * r->blocks;
    double          blocks   = cover(a->m, g->rows) * cover(a->n, g->columns) * p->split;
    double          bytes    = 4.0 * ((double)a->m * a->k + (double)a->k * a->n + (double)a->m * a->n);
    double          ragged   = a->vector & 4 || parts_of(p) > 1 ? 0 : 4.0 * a->m * a->n;
    double          launched = g->stream ? (double)stream_blocks(b, p) : blocks;
    bool            shares   = launched != blocks && blocks / launched != (double)(uint64_t)(blocks / launched);
    double          abreast  = shares ? launched : slots;
    double          full = (double)(uint64_t)(blocks / abreast), rest = blocks - full * abreast;
    double          t = r->fixed / 10.0 + (bytes * r->memory + ragged * r->ragged) / 100 / memory + around(p) +
               full * (r->blocks * pace + each);
    t += p->split > 1 ? shared.joined / 10.0 : 0;
    for (unsigned s = 2; s <= p->split && s <= CLUSTER; s *= 2)
        t += r->cluster / 10.0;
    if (launched > blocks)
        t += (launched / blocks - 1) * r->cluster / 10.0;
    if (shares)
        t += rest / launched * r->blocks * pace + r->lone / 10.0;
    else if (rest > 0)
        t += last_round(r, cover(rest, sms)) * pace + each;
    return t;
}

double predict_us(const WwBlas *b, const Problem *p)
{
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcmp(rates[i].rung, p->rung->name) == 0)
            return duration(b, p, &rates[i]);
    return 0;
}

/* No times are kept of a SHORT rung where it does without what makes it fast. */
static bool eligible(const Rung *r, const GemmArgs *g)
{
    return r->layouts != RUNG_SHORT || (g->k <= r->slice && g->vector & 4);
}

const Rung *predict_gemm(const WwBlas *b, const Problem *problem, unsigned *split)
{
    const Rung *best  = NULL;
    double      least = 0;
    Problem     p     = *problem;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        p.rung = rung_find("gemm", rates[i].rung);
        if (!eligible(p.rung, &p.args))
            continue;
        double   tiles  = cover(p.args.m, p.rung->rows) * cover(p.args.n, p.rung->columns);
        unsigned blocks = rung_splits(p.rung);
        for (p.split = 1; p.split <= blocks; p.split = rung_more_splits(p.split)) {
            if (p.split > 1 && (tiles * p.split > (double)MOST_BLOCKS || (double)p.split * p.rung->slice > p.args.k))
                break; /* enough blocks; or some of them without a slice */
            double t = duration(b, &p, &rates[i]);
            if (!best || t < least) {
                best   = p.rung;
                least  = t;
                *split = p.split;
            }
        }
    }
    return best;
}
