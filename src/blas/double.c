/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of doubles in double arithmetic (kernels/long): which rung, and the launch.
 *
 *   double          tensor cores that multiply doubles, 128 x 128 tiles, since sm_90
 *   double_little   the same with 64 x 64 tiles, where rounds of the others would leave more of the card idle
 *   double_warp     on those of sm_80
 *   double_plain    any GPU */
#include <stdio.h>

#include "blas/blas.h"

static const struct Way {
    RungUse use;
    int     capability;
} ways[] = {{FOR_DOUBLE, 90}, {FOR_DOUBLE_FEW, 90}, {FOR_DOUBLE_WARP, 80}};

enum { LARGE, LITTLE, WARP, WAYS };

/* Looked for once: a search through all kernels takes longer than a launch. */
static unsigned can_run(WwBlas *b, bool symmetric)
{
    unsigned can = b->doubles[symmetric];
    if (can)
        return can;
    can = 1u << WAYS;
    for (int i = 0; i < WAYS; i++) {
        char        entry[BLAS_NAME];
        const Rung *r = rung_for(symmetric, ways[i].use);
        snprintf(entry, sizeof entry, "%s_%s_f64_%s", r->ladder, r->name, symmetric ? "k" : "kk");
        if (b->capability >= ways[i].capability && r->shared <= b->device->block_shared && blas_built(entry))
            can |= 1u << i;
    }
    return b->doubles[symmetric] = can;
}

const Rung *double_choose(WwBlas *b, const Problem *p)
{
    unsigned    can   = can_run(b, p->symmetric);
    const Rung *large = rung_for(p->symmetric, FOR_DOUBLE), *little = rung_for(p->symmetric, FOR_DOUBLE_FEW);
    uint64_t sms = b->sms, few = rung_tiles(large, &p->args) * p->batch, many = rung_tiles(little, &p->args) * p->batch;
    /* a tile of four times the size takes 3.54 times as long, by readings on an H100; several little ones share a multiprocessor */
    uint64_t whole  = (few + sms - 1) / sms;
    double   rounds = (double)whole * 3.54, shares = many < sms ? 1 : (double)many / (double)sms;
    if (can & 1u << LARGE && (rounds <= shares || !(can & 1u << LITTLE)))
        return large;
    return rung_for(p->symmetric, can & 1u << LITTLE ? FOR_DOUBLE_FEW
                                  : can & 1u << WARP ? FOR_DOUBLE_WARP
                                                     : FOR_ANY_64);
}

Status double_run(WwBlas *b, const Problem *p, const Rung *r, const GemmArgs *g, WwPtr asked, size_t batch)
{
    char     entry[BLAS_NAME];
    Problem  q     = *p;
    LongArgs a     = {.g = *g, .alpha = p->alpha, .beta = p->beta};
    uint64_t tiles = rung_tiles(r, g);
    a.g.count      = asked;
    q.rung         = r;
    blas_entry(&q, entry);
    if (tiles > INT32_MAX)
        return device_fail(b->device, WW_ERR_INVALID, "%s: %llu blocks are more than one grid can have", entry,
                           (unsigned long long)tiles);
    return blas_launch(b, entry,
                       &(WwLaunch){.grid      = {(uint32_t)tiles, 1, (uint32_t)batch},
                                   .block     = {(unsigned)r->threads, 1, 1},
                                   .shared    = r->shared,
                                   .args      = (void *[]){&a},
                                   .arg_count = 1});
}
