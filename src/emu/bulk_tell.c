/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells observers what bulk copies will read and write, when they are issued.  A tensor's box is told by its rows that lie in the tensor.
 * Not told: mbarrier transactions, and prefetches, which read nothing that the program could see. */
#include <stdlib.h>

#include "base/arena.h"
#include "emu/bulk.h"

enum { CHUNK = 16 };

/* Shared memory that rows shorter than their pitch take: chunks, as the swizzle moves them. */
static size_t narrow_runs(const BulkOp *o, uint64_t at, AsyncRun **run)
{
    size_t    n = o->bytes / CHUNK, per = o->row / CHUNK;
    AsyncRun *r = xmalloc((n + 1) * sizeof *r);
    for (size_t i = 0; i < n; i++)
        r[i] = (AsyncRun){tensor_swizzle(o->swizzle, (uint32_t)(at + i / per * o->pitch + i % per * CHUNK)), CHUNK};
    *run = r;
    return n;
}

static void tell(const BulkOp *o, const Block *owner, uint64_t at, bool writes)
{
    AsyncRun    all = {at, o->bytes}, *runs = NULL;
    AsyncAccess a = {.lane      = o->lane,
                     .space     = owner ? ACCESS_SHARED : ACCESS_GLOBAL,
                     .by        = o->by_group ? ASYNC_BY_GROUP : ASYNC_BY_MBARRIER,
                     .writes    = writes,
                     .reduces   = writes && o->reduction.on,
                     .registers = o->kind == BULK_REGISTERS,
                     .tensor    = owner && o->box,
                     .swizzle   = (uint8_t)o->swizzle,
                     .owner     = owner ? owner->index : 0,
                     .twins     = writes && o->kind == BULK_STORE ? bulk_twins(o) : 0,
                     .mbar      = o->mbar,
                     .run       = &all,
                     .nruns     = 1};
    if (!o->by_group)
        a.mbar_block = o->mbar_block->index;
    if (owner && o->box && o->pitch != o->row)
        a.nruns = narrow_runs(o, at, &runs);
    else if (!owner && o->box)
        a.nruns = tensor_runs(o->box, &runs);
    if (runs)
        a.run = runs;
    if (a.nruns)
        async_notify(o->warp, o->uop, a);
    free(runs);
}

void bulk_tell(const BulkOp *o)
{
    if (!o->bytes)
        return;
    if (!o->has_read)
        tell(o, o->from, o->src, false);
    tell(o, o->to, o->dst, true);
}
