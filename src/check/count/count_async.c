/* SPDX-License-Identifier: Apache-2.0
 *
 * What an H200's counters show of these (tests/data/golden/async_h200.tsv):
 *
 *   wgmma          a pass for each 128 bytes of A and of B that it reads of shared memory; no bank conflicts, whatever the layout or
 *                  swizzle
 *   TMA            no passes and no bank conflicts; sectors of global memory, a multicast's once for each block that gets them
 *   distributed    sectors that the lanes of a request touch; an atomic's go there and back
 *
 * Not counted: the passes and bank conflicts of distributed shared memory in the other block, and what mbarriers cost. */
#include "check/count/count_async.h"

enum { PASS = 128, SECTOR_BITS = 5, WARPS = 4 };

static uint64_t sectors_of(const AsyncAccess *a)
{
    uint64_t n = 0;
    for (size_t i = 0; i < a->nruns; i++)
        n += ((a->run[i].at + a->run[i].bytes - 1) >> SECTOR_BITS) - (a->run[i].at >> SECTOR_BITS) + 1;
    return n;
}

static uint64_t bytes_of(const AsyncAccess *a)
{
    uint64_t n = 0;
    for (size_t i = 0; i < a->nruns; i++)
        n += a->run[i].bytes;
    return n;
}

/* st.async, red.async: lanes of one instruction that touch one sector are one. */
static void add_lane(WwCounters *to, AsyncLane *last, const AsyncAccess *a)
{
    AsyncLane now  = {a->instr, a->warp, a->lane, a->block, a->owner, a->run[0].at >> SECTOR_BITS};
    bool      same = now.instr == last->instr && now.warp == last->warp && now.block == last->block &&
                now.lane > last->lane && now.owner == last->owner && now.sector == last->sector;
    *last = now;
    if (same)
        return;
    to->dshared_st_sectors += a->reduces ? 0 : 1;
    to->dshared_atom_sectors += a->reduces ? 1 : 0;
}

void count_async_add(WwCounters *to, AsyncLane *last, const AsyncAccess *a)
{
    if (a->by == ASYNC_BY_WGMMA) {
        if (a->each || a->warp % WARPS == 0) /* B is told by all four warps and read once */
            to->gmma_wavefronts += (bytes_of(a) + PASS - 1) / PASS;
    } else if (a->registers) {
        if (a->owner != a->block)
            add_lane(to, last, a);
    } else if (a->space == ACCESS_GLOBAL) {
        *(a->reduces ? &to->tma_red_sectors : a->writes ? &to->tma_st_sectors : &to->tma_ld_sectors) += sectors_of(a);
    }
}

void count_remote_add(WwCounters *to, const Access *a)
{
    uint32_t seen[LANES], n = 0;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        uint32_t sector = a->off[__builtin_ctz(m)] >> SECTOR_BITS, i = 0;
        while (i < n && seen[i] != sector)
            i++;
        if (i == n)
            seen[n++] = sector;
    }
    if (a->op == ACCESS_LD || a->op == ACCESS_LDSM)
        to->dshared_ld_sectors += n;
    else if (a->op == ACCESS_ST || a->op == ACCESS_STSM)
        to->dshared_st_sectors += n;
    else
        to->dshared_atom_sectors += 2u * n;
}
