/* SPDX-License-Identifier: Apache-2.0
 *
 * Which rung multiplies floats fastest, from a model of one line: a launch takes a fixed time, and as many rounds of
 * blocks as its tiles need.
 *
 *   round   every multiprocessor with all the blocks that fit on it; a last round with one block each at most is shorter
 *   split   the blocks of a cluster share out k: shorter rounds, more blocks, and some time to add up
 *   copy    the tensor rungs want both operands contiguous along the result; others are copied before (tensor.c)
 *
 * The numbers are in rates.def.  Not modelled: L2, the memory, what else runs on the card; k and the clock only scale. */
#include <string.h>

#include "blas/blas.h"

typedef struct Rate {
    const char *rung;
    int         blocks, speed, lone, fixed, each, splits;
} Rate;

static const Rate rates[] = {
#define RATE(rung, blocks, speed, lone, fixed, each, splits) {#rung, blocks, speed, lone, fixed, each, splits},
#include "blas/rates.def"
#undef RATE
};

enum { A_CYCLE = 128, MHZ = 1980 }; /* multiplications of a multiprocessor */

static double cover(double n, double tile)
{
    double whole = (double)(uint64_t)(n / tile);
    return whole * tile < n ? whole + 1 : whole;
}

/* Microseconds. */
static double copies(const Problem *problem, const Rung *r, unsigned split)
{
    enum { START = 3, BYTES_A_US = 3400000 };
    Work    w = {0};
    Problem p = *problem;
    p.rung    = r;
    p.split   = split;
    tensor_work(&p, &w);
    return (w.x ? START + 2.0 * (double)w.x / BYTES_A_US : 0) + (w.y ? START + 2.0 * (double)w.y / BYTES_A_US : 0);
}

static double duration(const WwBlas *b, const Problem *p, const Rate *r, unsigned split)
{
    static const int adding[] = {0, 0, 2, 0, 5,
                                 0, 0, 0, 9}; /* microseconds a round, by split: a cluster's blocks, 8 at most */
    const Rung      *g        = rung_find("gemm", r->rung);
    double           tiles = cover(p->args.m, g->rows) * cover(p->args.n, g->columns), all = tiles * split;
    double           k     = cover(p->args.k, (double)g->slice * split) * g->slice;
    double           round = (double)r->blocks * g->rows * g->columns * k / (A_CYCLE * MHZ) * 100 / r->speed;
    double           slots = (double)b->sms * r->blocks, copy = g->layouts == RUNG_TENSOR ? copies(p, g, split) : 0;
    if (r->splits == 0)
        return copy + r->fixed + all / slots * (round + r->each);
    double full = (double)(uint64_t)(all / slots), rest = all - full * slots;
    double last = rest == 0 ? 0 : rest <= (double)b->sms ? r->lone / 100.0 : 1;
    return copy + r->fixed + (full + last) * (round + r->each + adding[split]);
}

const char *predict_gemm(const WwBlas *b, const Problem *p, unsigned *split)
{
    const char *best  = NULL;
    double      least = 0;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        for (unsigned s = 1; s == 1 || (int)s <= rates[i].splits; s *= 2) {
            double t = duration(b, p, &rates[i], s);
            if (!best || t < least) {
                best   = rates[i].rung;
                least  = t;
                *split = s;
            }
        }
    return best;
}
