/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk copies in flight: when they land (EmuOptions.async), and their groups.
 *
 *   eager   at issue
 *   late    when a thread looks at the mbarrier they complete at, or waits for their group, never before; wait_group.read makes them read
 *           only
 *   random  then, or, by the device's seed, at any turn of the cluster before
 *
 * The source is read when the copy lands.  Copies that read shared memory see it through the async proxy (proxy.h).  Global memory has
 * no such view.
 * What a thread never waited for lands when its block ends, unless it still needs the block's shared memory: a fault. */
#include "emu/async/bulk.h"

#include <stdlib.h>
#include <string.h>

#include "emu/async/async.h"
#include "emu/async/proxy.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/notify.h"
#include "emu/core/schedule.h"

typedef struct BulkGroups { /* of a warp's threads */
    uint32_t commits[LANES];
} BulkGroups;

static EmuAsync mode(const Block *b)
{
    return b->launch->dev->async;
}

/* ---- landing ---- */

static void wrong(const BulkOp *o, FaultKind kind, const char *why)
{
    fault_raise(o->warp, o->uop, kind, o->lane, UINT32_C(1) << o->lane, "%s", why);
}

static bool outside(const BulkOp *o, uint64_t bad, uint64_t bytes)
{
    fault_bulk(o->warp, o->uop, SPACE_GLOBAL, o->lane, bad, bytes);
    return false;
}

/* Between dense data and shared memory: 16 bytes at a time where they are swizzled. */
static void copy_shared(const BulkOp *o, uint8_t *window, uint64_t offset, bool to_window)
{
    uint32_t step = o->swizzle == SWIZZLE_NONE ? o->bytes : 16;
    for (uint32_t i = 0; i < o->bytes; i += step) {
        uint32_t place = o->box ? i / o->row * o->pitch + i % o->row : i;
        uint8_t *at    = window + tensor_swizzle(o->swizzle, (uint32_t)offset + place);
        if (to_window)
            memcpy(at, o->data + i, step);
        else
            memcpy(o->data + i, at, step);
    }
}

static bool is_gone(const BulkOp *o, const Block *b)
{
    if (b && b->ended)
        wrong(o, FAULT_ASYNC_COPY,
              "an asynchronous copy reaches for the shared memory of a block of the cluster that has exited");
    return b && b->ended;
}

/* Fills data with the source. */
static bool read_source(BulkOp *o)
{
    Memory  *mem = &o->warp->block->launch->dev->mem;
    uint64_t bad, bytes;
    if (o->has_read)
        return true;
    if (is_gone(o, o->from))
        return false;
    o->data = xmalloc(o->bytes ? o->bytes : 1);
    if (o->from)
        copy_shared(o, proxy_view(o->from), o->src, false);
    else if (!o->box)
        memcpy(o->data, (const void *)(uintptr_t)o->src, o->bytes);
    else if (!tensor_gather(o->box, mem, o->data, &bad, &bytes))
        return outside(o, bad, bytes);
    o->has_read = true;
    return true;
}

static void reduce(const BulkOp *o, uint8_t *at)
{
    atom_many(at, o->data, o->bytes / type_bytes(o->reduction.type), o->reduction.op, o->reduction.type);
}

static bool write_destination(BulkOp *o)
{
    Memory  *mem = &o->warp->block->launch->dev->mem;
    uint64_t bad, bytes;
    if (is_gone(o, o->to))
        return false;
    if (o->to && o->reduction.on) {
        reduce(o, o->to->shared + o->dst);
        memcpy(proxy_view(o->to) + o->dst, o->to->shared + o->dst, o->bytes);
    } else if (o->to) {
        copy_shared(o, o->to->shared, o->dst, true);
        if (mode(o->to) != EMU_ASYNC_EAGER)
            copy_shared(o, proxy_view(o->to), o->dst, true);
    } else if (o->box) {
        return tensor_scatter(o->box, mem, o->data, o->reduction, &bad, &bytes) || outside(o, bad, bytes);
    } else if (o->reduction.on) {
        reduce(o, (uint8_t *)(uintptr_t)o->dst);
    } else {
        memcpy((void *)(uintptr_t)o->dst, o->data, o->bytes);
    }
    return true;
}

static bool complete(const BulkOp *o)
{
    const char *why = NULL;
    if (o->by_group)
        return true;
    if (is_gone(o, o->mbar_block))
        return false;
    why = mbarrier_copy_completes(o->mbar_block, o->mbar, o->bytes);
    if (why)
        wrong(o, FAULT_MBARRIER, why);
    return !why;
}

static void land(BulkOp *o)
{
    if (read_source(o) && write_destination(o) && complete(o))
        o->warp->block->cluster->progress = true;
}

static void release(BulkOp *o)
{
    free(o->data);
    free(o->box);
    free(o);
}

typedef bool (*Chosen)(const BulkOp *o, const void *what);

/* Lands, in the order of issue, what is chosen; stops at a fault. */
static void land_chosen(Cluster *c, Worker *k, Chosen chosen, const void *what)
{
    for (BulkOp **at = &c->bulk; *at && !k->faulted;) {
        BulkOp *o = *at;
        if (!chosen(o, what)) {
            at = &o->next;
            continue;
        }
        land(o);
        *at = o->next;
        release(o);
    }
}

void bulk_issue(const BulkOp *op)
{
    BulkOp  *o = xmalloc(sizeof *o);
    Cluster *c = op->warp->block->cluster;
    if (c->launch->watches_async)
        bulk_tell(op);
    *o      = *op;
    o->next = NULL;
    if (mode(op->warp->block) == EMU_ASYNC_EAGER) {
        land(o);
        release(o);
        return;
    }
    BulkOp **last = &c->bulk;
    while (*last)
        last = &(*last)->next;
    *last = o;
}

void bulk_free(Cluster *c)
{
    while (c->bulk) {
        BulkOp *o = c->bulk;
        c->bulk   = o->next;
        release(o);
    }
}

/* ---- who waits for them ---- */

typedef struct At {
    const Block *block;
    uint32_t     offset;
} At;

static bool completes_at(const BulkOp *o, const void *what)
{
    const At *at = what;
    return !o->by_group && o->mbar_block == at->block && o->mbar == at->offset;
}

void bulk_settle(Block *b, uint32_t offset)
{
    if (b->cluster->bulk)
        land_chosen(b->cluster, b->warp[0].worker, completes_at, &(At){b, offset});
}

bool bulk_counts_on(const Block *b, uint32_t offset)
{
    for (const BulkOp *o = b->cluster->bulk; o; o = o->next)
        if (completes_at(o, &(At){b, offset}))
            return true;
    return false;
}

static bool tossed(const BulkOp *o, const void *what)
{
    (void)what;
    return schedule_toss(o->warp->block->cluster);
}

bool bulk_tick(Cluster *c, Worker *k)
{
    if (!c->bulk || c->launch->dev->async != EMU_ASYNC_RANDOM)
        return false;
    land_chosen(c, k, tossed, NULL);
    return true;
}

/* ---- groups ---- */

static BulkGroups *groups_of(Warp *w)
{
    if (!w->bulk)
        w->bulk = xcalloc(1, sizeof *w->bulk);
    return w->bulk;
}

uint32_t bulk_group(Warp *w, unsigned lane)
{
    return groups_of(w)->commits[lane];
}

void bulk_reset(Warp *w)
{
    if (w->bulk)
        memset(w->bulk, 0, sizeof *w->bulk);
}

const Uop *ctl_bulk_commit(Warp *w, const Uop *u)
{
    BulkGroups *g = groups_of(w);
    for (uint32_t m = w->mask; m; m &= m - 1)
        g->commits[__builtin_ctz(m)]++;
    NOTIFY_SYNC(w, u, .kind = SYNC_BULK_COMMIT, .mask = w->mask);
    return u + 1;
}

typedef struct Waiter {
    const Warp *warp;
    uint32_t    pending; /* groups that need not be complete */
} Waiter;

/* Of a group that one of the warp's active lanes waits for. */
static bool is_waited_for(const BulkOp *o, const void *what)
{
    const Waiter *w = what;
    uint32_t      n = o->warp == w->warp ? w->warp->bulk->commits[o->lane] : 0;
    return o->by_group && o->warp == w->warp && (w->warp->mask >> o->lane & 1) && n > w->pending &&
           o->group < n - w->pending;
}

/* imm: how many groups may be pending; x: 1 = sources only (.read) */
const Uop *ctl_bulk_wait(Warp *w, const Uop *u)
{
    Waiter   it = {w, u->imm < 0 ? 0 : (uint32_t)u->imm};
    Cluster *c  = w->block->cluster;
    groups_of(w);
    NOTIFY_SYNC(w, u, .kind = SYNC_BULK_WAIT, .mask = w->mask, .count = it.pending, .waits = u->x);
    if (!u->x)
        land_chosen(c, w->worker, is_waited_for, &it);
    for (BulkOp *o = u->x ? c->bulk : NULL; o && !w->worker->faulted; o = o->next)
        if (is_waited_for(o, &it))
            read_source(o);
    return w->worker->faulted ? STOP : u + 1;
}

/* ---- the end of a block ---- */

static bool has_read_of(const BulkOp *o, const void *block)
{
    return o->warp->block == block && o->by_group && o->has_read;
}

static bool needs(const BulkOp *o, const Block *b)
{
    return o->to == b || o->mbar_block == b || (o->from == b && !o->has_read);
}

void bulk_block_ended(Block *b)
{
    Cluster *c = b->cluster;
    Worker  *k = b->warp[0].worker;
    if (!c->bulk)
        return;
    land_chosen(c, k, has_read_of, b);
    for (const BulkOp *o = c->bulk; o && !k->faulted; o = o->next) {
        if (!needs(o, b))
            continue;
        bool open = o->by_group && o->group == o->warp->bulk->commits[o->lane];
        wrong(
            o, FAULT_ASYNC_COPY,
            open
                ? "the block exits while this copy may still read its shared memory: its bulk group was never committed"
            : o->by_group ? "the block exits while this copy may still read its shared memory: no "
                            "cp.async.bulk.wait_group waits for it"
                          : "the block exits while this copy to its shared memory is in flight: nobody has waited for "
                            "its mbarrier");
    }
}
