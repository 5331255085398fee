/* SPDX-License-Identifier: Apache-2.0
 *
 * cp.async: copies from global to shared memory that land when the emulator chooses (EmuOptions.async):
 *   eager   at issue
 *   late    at the wait that covers them (cp.async.wait_group, wait_all, or a look at an mbarrier that waits for them), never before
 *   random  at issue or at a later copy, commit or wait of the warp, by the device's seed
 * Addresses are checked and observers are told at issue.  The source is read when the copy lands: who writes to it before the wait sees
 * that.
 *
 * Groups are counted by lane: queue[].group is the lane's number of commits at issue, so wait_group n lands what is older than the
 * last n commits.  A lane's entries are in the order of issue; deferred mbarrier arrivals stand among its copies.
 * What is in flight when its threads exit never lands: nobody waited for it. */
#include "emu/async/async.h"

#include <stdlib.h>
#include <string.h>

#include "emu/access/access.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/notify.h"

typedef struct AsyncOp {
    uint8_t       *to; /* NULL: an arrival */
    const uint8_t *from;
    uint32_t       group, offset; /* offset: of the mbarrier */
    uint8_t        bytes, read, lane;
} AsyncOp;

typedef struct AsyncQueue {
    AsyncOp *op;
    uint32_t n, cap;
    uint32_t group[LANES];
    uint64_t random;
} AsyncQueue;

bool async_under_way(const Warp *w)
{
    return w->async && w->async->n;
}

void async_reset(Warp *w)
{
    AsyncQueue *q = w->async;
    if (q)
        *q = (AsyncQueue){.op = q->op, .cap = q->cap};
}

void async_free(Warp *w)
{
    if (w->async)
        free(w->async->op);
    free(w->async);
    w->async = NULL;
}

static AsyncQueue *queue_of(Warp *w)
{
    if (!w->async)
        w->async = xcalloc(1, sizeof *w->async);
    if (!w->async->random)
        w->async->random =
            (w->block->launch->dev->seed ^ (w->block->index * 1024 + w->index)) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    return w->async;
}

static bool toss(AsyncQueue *q)
{
    q->random ^= q->random << 13;
    q->random ^= q->random >> 7;
    q->random ^= q->random << 17;
    return q->random >> 40 & 1;
}

static void land(Block *b, const AsyncOp *o)
{
    if (!o->to) {
        mbarrier_copy_arrives(b, o->offset);
        return;
    }
    if (o->read) /* from may be NULL otherwise */
        memcpy(o->to, o->from, o->read);
    memset(o->to + o->read, 0, (size_t)o->bytes - o->read);
}

static void push(Warp *w, AsyncOp o)
{
    AsyncQueue *q = queue_of(w);
    if (q->n == q->cap) {
        q->cap = q->cap ? q->cap * 2 : 256;
        q->op  = xrealloc(q->op, q->cap * sizeof *q->op);
    }
    o.group       = q->group[o.lane];
    q->op[q->n++] = o;
}

/* Lands, in the order of issue, the lanes' entries of groups before first[lane]. */
static void land_before(Warp *w, uint32_t lanes, const uint32_t *first)
{
    AsyncQueue *q    = w->async;
    uint32_t    kept = 0;
    for (uint32_t i = 0; q && i < q->n; i++) {
        const AsyncOp *o = &q->op[i];
        if ((lanes >> o->lane & 1) && o->group < first[o->lane])
            land(w->block, o);
        else
            q->op[kept++] = *o;
    }
    if (q)
        q->n = kept;
}

/* random: every lane that the coin chooses has what it issued so far done. */
static void perhaps_land(Warp *w)
{
    uint32_t all[LANES], lanes = 0;
    if (w->block->launch->dev->async != EMU_ASYNC_RANDOM)
        return;
    memset(all, 0xff, sizeof all);
    for (unsigned i = 0; i < LANES; i++)
        lanes |= (uint32_t)toss(queue_of(w)) << i;
    land_before(w, lanes, all);
}

/* ---- cp.async ---- */

/* Bytes each lane reads; lanes that read nothing have no source. */
static uint32_t sizes(const Warp *w, const CopyInfo *c, uint8_t *size)
{
    uint32_t reads = 0, ignore = c->ignore == NO_SLOT ? 0 : pred_get(w, c->ignore);
    if (c->ignore != NO_SLOT && c->ignore_neg)
        ignore = ~ignore;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i    = (unsigned)__builtin_ctz(m);
        uint32_t want = c->size == NO_SLOT ? c->src.bytes : SLOT(w, uint32_t, c->size)[i];
        want          = want > c->src.bytes ? c->src.bytes : want;
        size[i]       = (uint8_t)(ignore >> i & 1 ? 0 : want);
        reads |= (uint32_t)(size[i] != 0) << i;
    }
    return reads;
}

/* Whole sources are checked as any access; of a part, the part. */
static bool source_ok(Warp *w, const Uop *u, const CopyInfo *c, const uint64_t *t, const uint8_t *size, uint32_t reads)
{
    uint32_t whole = 0;
    for (uint32_t m = reads; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        Alloc    tmp;
        if (size[i] == c->src.bytes) {
            whole |= UINT32_C(1) << i;
            continue;
        }
        const Alloc *a = memory_find(&w->block->launch->dev->mem, t[i], &tmp);
        if (!(t[i] & (c->src.bytes - 1u)) && a && t[i] + size[i] <= a->base + a->bytes)
            continue;
        fault_access(w, u, SPACE_GLOBAL, i, m, t[i], c->src.bytes, ACCESS_COPY);
        return false;
    }
    return access_check_global(w, u, t, whole, c->src.bytes, ACCESS_COPY);
}

/* Lanes that read less than a whole source are told apart. */
static void notify_source(Warp *w, const CopyInfo *c, const uint8_t *size, uint32_t reads, const uint64_t *t)
{
    bool part = false;
    for (uint32_t m = c->size == NO_SLOT ? 0 : reads; m; m &= m - 1)
        part = part || size[__builtin_ctz(m)] != c->src.bytes;
    if (!part) {
        access_notify(w, &c->src, ACCESS_GLOBAL, reads, NULL, t);
        return;
    }
    MemInfo some   = c->src;
    some.seen.take = size;
    access_notify(w, &some, ACCESS_GLOBAL, reads, NULL, t);
}

enum { LINE_BITS = 7 };

/* Lanes that only write zeros count as well. */
static uint8_t lines_of(const uint64_t *t, uint32_t mask)
{
    uint64_t line[LANES];
    uint8_t  n = 0, k;
    for (uint32_t m = mask; m; m &= m - 1) {
        line[n] = t[__builtin_ctz(m)] >> LINE_BITS;
        for (k = n; k > 0 && line[k - 1] != line[n];)
            k--;
        n = (uint8_t)(n + (k == 0));
    }
    return n;
}

const Uop *ctl_cp_async(Warp *w, const Uop *u)
{
    const CopyInfo *c = u->ptr;
    uint8_t        *to[LANES], size[LANES];
    uint64_t        t[LANES];
    uint32_t        reads = sizes(w, c, size);
    for (unsigned i = 0; i < LANES; i++)
        t[i] = (uint64_t)c->src.offset + SLOT(w, uint64_t, u->b)[i];
    const MemInfo *dst = &c->dst;
    MemInfo        seen;
    if (dst->observed) {
        seen            = *dst;
        seen.seen.lines = lines_of(t, w->mask);
        dst             = &seen;
    }
    if (!source_ok(w, u, c, t, size, reads) || !access_resolve(w, u, dst, dst->observed, to))
        return fault_others(w, u);
    if (c->src.observed && reads)
        notify_source(w, c, size, reads, t);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        AsyncOp  o = {to[i], (const uint8_t *)(uintptr_t)t[i], 0, 0, c->dst.bytes, size[i], (uint8_t)i};
        if (w->block->launch->dev->async == EMU_ASYNC_EAGER)
            land(w->block, &o);
        else
            push(w, o);
    }
    perhaps_land(w);
    return u + 1;
}

const Uop *ctl_cp_commit(Warp *w, const Uop *u)
{
    AsyncQueue *q = queue_of(w);
    for (uint32_t m = w->mask; m; m &= m - 1)
        q->group[__builtin_ctz(m)]++;
    NOTIFY_SYNC(w, u, .kind = SYNC_COMMIT, .mask = w->mask);
    perhaps_land(w);
    return u + 1;
}

/* x: 1 = all, committed or not; else all but the last imm groups */
const Uop *ctl_cp_wait(Warp *w, const Uop *u)
{
    AsyncQueue *q = queue_of(w);
    uint32_t    first[LANES];
    for (unsigned i = 0; i < LANES; i++)
        first[i] = u->x ? UINT32_MAX : q->group[i] > (uint64_t)u->imm ? q->group[i] - (uint32_t)u->imm : 0;
    land_before(w, w->mask, first);
    NOTIFY_SYNC(w, u, .kind = SYNC_WAIT, .mask = w->mask, .count = u->x ? ALL_COPIES : (uint32_t)u->imm);
    perhaps_land(w);
    return u + 1;
}

/* ---- mbarriers that wait for copies ---- */

void async_arrive_later(Warp *w, uint32_t lane, uint32_t offset)
{
    AsyncOp o = {.offset = offset, .lane = (uint8_t)lane};
    if (w->block->launch->dev->async == EMU_ASYNC_EAGER)
        land(w->block, &o);
    else
        push(w, o);
}

void async_settle(Block *b, uint32_t offset)
{
    for (uint32_t i = 0; i < b->nwarps; i++) {
        Warp       *w           = &b->warp[i];
        AsyncQueue *q           = w->async;
        uint32_t    last[LANES] = {0}, kept = 0;
        if (!q)
            continue;
        for (uint32_t k = 0; k < q->n; k++)
            if (!q->op[k].to && q->op[k].offset == offset)
                last[q->op[k].lane] = k + 1;
        for (uint32_t k = 0; k < q->n; k++)
            if (k < last[q->op[k].lane])
                land(b, &q->op[k]);
            else
                q->op[kept++] = q->op[k];
        q->n = kept;
    }
}
