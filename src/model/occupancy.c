/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA occupancy calculation, by the limits of a card.  A warp gets registers in units, and a multiprocessor's are divided evenly
 * among its parts, so that of the warps they suffice for a multiple of warp_unit is held; on cc 1.x a block gets them as a whole.  Shared
 * memory is given in units, together with what the system keeps of each block's (from cc 8.0 on).
 * Not modelled: the division of the L1 cache that a launch may ask for (the most favourable one is taken); arguments in shared memory (cc
 * 1.x). */
#include "model/occupancy.h"

#include <inttypes.h>
#include <stdio.h>

enum { WARP = 32, BY_WARPS = 20 /* compute capability from which on registers are given to warps */ };

static uint64_t round_up(uint64_t n, unsigned unit)
{
    return (n + unit - 1) / unit * unit;
}

static unsigned by_registers(const Limits *l, unsigned warps, unsigned registers)
{
    uint64_t whole = round_up(warps, l->warp_unit);
    if (!registers)
        return l->sm_blocks;
    if (registers > l->thread_registers)
        return 0;
    if (l->cc < BY_WARPS)
        return (unsigned)(l->sm_registers / round_up(whole * WARP * registers, l->register_unit));
    uint64_t warp = round_up((uint64_t)registers * WARP, l->register_unit);
    if (warp * whole > l->block_registers)
        return 0;
    return (unsigned)(l->sm_registers / warp / l->warp_unit * l->warp_unit / warps);
}

static unsigned by_shared(const Limits *l, uint64_t shared)
{
    uint64_t block = round_up(shared + l->block_shared_kept, l->shared_unit);
    if (shared > l->block_shared_most)
        return 0;
    return block ? (unsigned)(l->sm_shared / block) : l->sm_blocks;
}

Occupancy occupancy_of(const Limits *l, unsigned threads, unsigned registers, uint64_t shared)
{
    unsigned warps = threads / WARP + (threads % WARP != 0);
    if (!warps)
        return (Occupancy){0};
    const struct {
        const char *name;
        unsigned    blocks;
    } limits[]  = {{"threads", threads > l->block_threads ? 0 : l->sm_threads / (warps * WARP)},
                   {"blocks", l->sm_blocks},
                   {"registers", by_registers(l, warps, registers)},
                   {"shared memory", by_shared(l, shared)}};
    Occupancy o = {.blocks = limits[0].blocks, .most_warps = l->sm_threads / WARP, .limiter = limits[0].name};
    for (unsigned i = 1; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].blocks < o.blocks) {
            o.blocks  = limits[i].blocks;
            o.limiter = limits[i].name;
        }
    o.warps = o.blocks * warps;
    if (o.warps == o.most_warps)
        o.limiter = NULL;
    return o;
}

Refusal occupancy_together(const Limits *l, uint64_t blocks, unsigned threads, uint64_t shared, char why[REFUSAL_TEXT])
{
    uint64_t most = (uint64_t)occupancy_of(l, threads, 0, shared).blocks * l->card->sms;
    if (blocks <= most)
        return REFUSED_NOT;
    snprintf(why, REFUSAL_TEXT, "a cooperative launch of %" PRIu64 " blocks, this card holds %" PRIu64 " at once",
             blocks, most);
    return REFUSED_TOO_LARGE;
}

unsigned occupancy_shared_each(const Limits *l, unsigned blocks)
{
    return l->sm_shared / blocks / l->shared_unit * l->shared_unit;
}
