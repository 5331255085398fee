/* SPDX-License-Identifier: Apache-2.0
 *
 * The CUDA occupancy calculation (the Programming Guide's limits of profiles.def).  Registers are given to warps in units of 256, by
 * threads in units of 8 (cc 3.0 and later; taken for all); shared memory in units of 128 bytes (256 before cc 7.0), and from cc 8.0 on the
 * system keeps 1 KiB of each block's.
 * Not modelled: the division of the L1 cache that a launch may ask for; the most favourable one is taken. */
#include "model/occupancy.h"

enum { WARP = 32 };

static unsigned round_up(unsigned n, unsigned unit)
{
    return (n + unit - 1) / unit * unit;
}

Occupancy occupancy_of(const Arch *a, unsigned threads, unsigned registers, unsigned shared)
{
    unsigned warps = (threads + WARP - 1) / WARP;
    if (!warps)
        return (Occupancy){0};
    unsigned of_shared =
        shared || a->cc >= 80 ? round_up(shared + (a->cc >= 80 ? 1024 : 0), a->cc >= 70 ? 128 : 256) : 0;
    unsigned of_register = registers ? round_up(round_up(registers, 8) * WARP, 256) : 0;
    const struct {
        const char *name;
        unsigned    blocks;
    } limits[]  = {{"threads", a->threads_sm / (warps * WARP)},
                   {"blocks", a->blocks_sm},
                   {"registers", of_register ? a->registers_sm / of_register / warps : a->blocks_sm},
                   {"shared memory", of_shared ? a->shared_sm / of_shared : a->blocks_sm}};
    Occupancy o = {.blocks = limits[0].blocks, .most_warps = a->threads_sm / WARP, .limiter = limits[0].name};
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
