/* SPDX-License-Identifier: Apache-2.0
 *
 * Tells observers what bulk copies will read and write, when they are issued.  A tensor's box is told by its rows that lie in the tensor.
 * Not told: mbarrier transactions, and prefetches, which read nothing that the program could see. */
#include <stdlib.h>

#include "emu/bulk.h"

static void tell(const BulkOp *o, const Block *owner, uint64_t at, bool writes)
{
    AsyncRun    row = {at, o->bytes}, *rows = NULL;
    AsyncAccess a = {.lane    = o->lane,
                     .space   = owner ? ACCESS_SHARED : ACCESS_GLOBAL,
                     .by      = o->by_group ? ASYNC_BY_GROUP : ASYNC_BY_MBARRIER,
                     .writes  = writes,
                     .reduces = writes && o->reduction.on,
                     .tensor  = owner && o->box,
                     .swizzle = (uint8_t)o->swizzle,
                     .owner   = owner ? owner->index : 0,
                     .mbar    = o->mbar,
                     .run     = &row,
                     .nruns   = 1};
    if (!o->by_group)
        a.mbar_block = o->mbar_block->index;
    if (!owner && o->box) {
        a.nruns = tensor_runs(o->box, &rows);
        a.run   = rows;
    }
    async_notify(o->warp, o->uop, a);
    free(rows);
}

void bulk_tell(const BulkOp *o)
{
    if (!o->bytes)
        return;
    if (!o->has_read)
        tell(o, o->from, o->src, false);
    tell(o, o->to, o->dst, true);
}
