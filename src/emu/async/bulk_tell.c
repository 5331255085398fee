/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells observers what bulk copies will read and write, when they are issued.  A tensor's box is told by its rows that lie in the tensor.
 * Not told: mbarrier transactions, and prefetches, which read nothing that the program could see. */
#include <stdlib.h>

#include "base/arena.h"
#include "emu/async/bulk.h"
#include "emu/core/notify.h"

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

/* Lower lanes for which the instruction's addresses, size and coordinates are the same. */
static uint32_t twins_of(const BulkOp *o)
{
    const Warp     *w    = o->warp;
    const Uop      *u    = o->uop;
    const BulkInfo *c    = u->ptr;
    uint32_t        same = w->mask & ((UINT32_C(1) << o->lane) - 1);
    for (uint32_t left = same; left; left &= left - 1) {
        unsigned i     = (unsigned)__builtin_ctz(left);
        bool     equal = bulk_address(w, &c->src, u->b, i) == bulk_address(w, &c->src, u->b, o->lane) &&
                     bulk_address(w, &c->dst, u->a, i) == bulk_address(w, &c->dst, u->a, o->lane) &&
                     (c->tensor || SLOT(w, uint32_t, c->size)[i] == o->bytes);
        for (unsigned d = 0; d < c->dims && equal; d++)
            equal = SLOT(w, int32_t, c->coord[d])[i] == SLOT(w, int32_t, c->coord[d])[o->lane];
        for (unsigned d = 0; d < c->noffsets && equal; d++)
            equal = SLOT(w, uint16_t, c->offset[d])[i] == SLOT(w, uint16_t, c->offset[d])[o->lane];
        same &= ~((uint32_t)!equal << i);
    }
    return same;
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
                     .twins     = writes && o->kind == BULK_STORE ? twins_of(o) : 0,
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
