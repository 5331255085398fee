/* SPDX-License-Identifier: Apache-2.0
 *
 * What orders asynchronous operations (PTX manual, "Asynchronous operations"): each is a piece of work of its own, which begins behind what
 * its thread did before and is over for whoever has learned of its completion.
 *
 *   cp.async                 of a thread: its wait_group, or an mbarrier the thread lets them arrive at (cp.async.mbarrier.arrive)
 *   completes at an mbarrier an agent of the mbarrier's block: a wait that has seen the phase complete
 *   bulk groups              of a thread: wait_group; wait_group.read for what they read
 *   wgmma.mma_async          an agent of the warpgroup: wgmma.wait_group of any of its threads, as groups belong to the warpgroup
 *
 * An mbarrier releases, phase by phase, what its arrivals released and what completed there, to who sees the phase complete.
 *
 * The async proxy: bulk copies and wgmma see what threads wrote to shared memory behind a fence.proxy.async only.  The manual wants the
 * fence somewhere on the way from the write to the operation.  A fence counts here when the writer made it after its write, or when
 * somebody made it who knew of the write; that it lies on the way is not asked.  So a fence at the wrong place may pass, and none that is
 * right is refused. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/race/race_object.h"

CopyOrder *order_copies(RaceBlock *b, CopyKind kind, uint32_t warp)
{
    if (!b->copy[kind])
        b->copy[kind] = xcalloc(((size_t)b->nwarps + 1) * LANES, sizeof *b->copy[kind]);
    b->copiers[kind] |= UINT32_C(1) << warp;
    b->async = true;
    return b->copy[kind] + (size_t)warp * LANES;
}

/* ---- mbarriers ---- */

unsigned order_agent(RaceBlock *owner, uint32_t off)
{
    SyncObject *o = object_make(&owner->objects, off);
    if (!owner->agent)
        owner->agent = xcalloc(AGENT_MORE + 1, sizeof *owner->agent);
    if (!o->agent) {
        unsigned n      = owner->nagents < AGENT_MORE ? owner->nagents++ : AGENT_MORE;
        owner->agent[n] = off;
        o->agent        = n + 1;
    }
    owner->async = true;
    return o->agent - 1;
}

void order_mbarrier_init(RaceBlock *owner, uint32_t off)
{
    object_forget(object_make(&owner->objects, off));
}

void order_mbarrier_arrive(RaceBlock *b, uint32_t warp, uint32_t mask, RaceBlock *owner, uint32_t off)
{
    order_tick(b);
    Clock *c = order_snapshot(b, warp, mask, true);
    clock_join(&object_make(&owner->objects, off)->arriving, c);
    clock_drop(c);
}

void order_mbarrier_copies(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off)
{
    order_tick(b);
    for (; mask; mask &= mask - 1) {
        unsigned   i = (unsigned)__builtin_ctz(mask);
        ClockEntry e = {who_copies(b->birth, COPY_LOADS, warp * LANES + i), b->now};
        Clock     *c = clock_new(&e, 1);
        clock_join(&object_make(&b->objects, off[i])->arriving, c);
        clock_drop(c);
    }
}

void order_mbarrier_done(RaceBlock *owner, uint32_t off)
{
    SyncObject *o = object_make(&owner->objects, off);
    order_tick(owner);
    clock_join(&o->wide, o->arriving);
    clock_drop(o->arriving);
    o->arriving = NULL;
    if (!o->agent)
        return;
    ClockEntry e = {who_agent(owner->birth, o->agent - 1), owner->now};
    Clock     *c = clock_new(&e, 1);
    clock_join(&o->wide, c);
    clock_drop(c);
}

void order_mbarrier_waited(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off)
{
    while (mask) { /* lanes that waited for the same one together */
        uint32_t at = off[__builtin_ctz(mask)], same = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            same |= off[__builtin_ctz(m)] == at ? m & -m : 0;
        const SyncObject *o = object_find(&b->objects, at);
        if (o)
            order_know(b, warp, same, o->wide);
        mask &= ~same;
    }
}

/* ---- groups ---- */

void order_commit(RaceBlock *b, uint32_t warp, uint32_t mask, CopyKind kind)
{
    CopyOrder *copy = order_copies(b, kind, warp);
    order_tick(b);
    for (; mask; mask &= mask - 1) {
        CopyOrder *c                            = &copy[__builtin_ctz(mask)];
        c->commit[c->commits++ % ORDER_COMMITS] = b->now;
    }
}

void order_wait(RaceBlock *b, uint32_t warp, uint32_t mask, CopyKind kind, uint32_t pending)
{
    CopyOrder *copy = order_copies(b, kind, warp);
    order_tick(b);
    for (; mask; mask &= mask - 1) {
        CopyOrder *c = &copy[__builtin_ctz(mask)];
        if (pending == ALL_COPIES)
            c->waited = b->now;
        else if (pending < c->commits && pending < ORDER_COMMITS)
            c->waited = c->commit[(c->commits - 1 - pending) % ORDER_COMMITS];
    }
}

/* ---- products ---- */

Time order_product(RaceBlock *b, uint32_t warp, uint64_t product)
{
    ProductOrder **at = &b->product[warp / 4], *p = *at;
    if (!p)
        p = *at = xcalloc(1, sizeof *p);
    b->async = true;
    if (product >= p->n) {
        p->n                              = product + 1;
        p->time[product % ORDER_PRODUCTS] = b->now;
    }
    return p->time[product % ORDER_PRODUCTS];
}

void order_wgmma_commit(RaceBlock *b, uint32_t warp)
{
    WarpOrder *w = &b->warp[warp];
    order_tick(b);
    w->commit[w->commits++ % ORDER_COMMITS] = b->now;
}

void order_wgmma_wait(RaceBlock *b, uint32_t warp, uint32_t pending)
{
    WarpOrder *w = &b->warp[warp];
    if (pending >= w->commits || pending >= ORDER_COMMITS)
        return;
    ClockEntry e = {who_agent(b->birth, AGENT_WARPGROUP + warp / 4),
                    w->commit[(w->commits - 1 - pending) % ORDER_COMMITS]};
    Clock     *c = clock_new(&e, 1);
    order_know(b, warp, w->threads, c);
    clock_drop(c);
}

/* ---- the question ---- */

static uint32_t birth_of(const RaceBlock *b, Stamp s)
{
    uint32_t serial = stamp_serial(s);
    return serial == (uint32_t)(b->now >> TICK_BITS) ? b->birth : serials_info(b->serials, serial)->birth;
}

static CopyKind copies_of(Stamp s, bool written)
{
    return stamp_kind(s) == BY_COPY ? COPY_LOADS : written ? COPY_WRITES : COPY_READS;
}

static uint64_t who_issued(const RaceBlock *b, Stamp s, bool written)
{
    uint32_t birth = birth_of(b, s);
    return stamp_kind(s) == BY_AGENT ? who_agent(birth, stamp_thread(s))
                                     : who_copies(birth, copies_of(s, written), stamp_thread(s));
}

/* The thread's copies, when it is one of the block's. */
static const CopyOrder *own_copies(const RaceBlock *b, Stamp s, bool written)
{
    const CopyOrder *c = stamp_kind(s) == BY_AGENT ? NULL : b->copy[copies_of(s, written)];
    return c && birth_of(b, s) == b->birth ? &c[stamp_thread(s)] : NULL;
}

bool order_warp_knows(const RaceBlock *b, uint32_t warp, Stamp s, bool written)
{
    Time             time = stamp_time(s);
    uint64_t         who  = who_issued(b, s, written);
    const CopyOrder *c    = own_copies(b, s, written);
    if (c && (time < c->block || (stamp_thread(s) / LANES == warp && time < c->warp)))
        return true;
    return time < clock_get(b->know, who) || time < clock_get(b->warp[warp].know, who);
}

bool order_async_before(const RaceBlock *b, unsigned thread, Stamp s, bool written)
{
    const CopyOrder *c = own_copies(b, s, written);
    if (c && stamp_thread(s) == thread && stamp_time(s) < c->waited)
        return true;
    return order_warp_knows(b, thread / LANES, s, written) ||
           (b->thread && stamp_time(s) < clock_get(b->thread[thread].know, who_issued(b, s, written)));
}

Clock *order_all_known(const RaceBlock *b)
{
    Clock *all = clock_ref(b->know);
    for (uint32_t w = 0; w < b->nwarps; w++)
        clock_join(&all, b->warp[w].know);
    for (uint32_t t = 0; b->thread && t < b->nthreads; t++)
        clock_join(&all, b->thread[t].know);
    return all;
}

bool order_known(const RaceBlock *b, const Clock *all, Stamp s, bool written)
{
    Time     time = stamp_time(s);
    unsigned t    = stamp_thread(s);
    if (stamp_async(s)) {
        const CopyOrder *c = own_copies(b, s, written);
        return (c && time < c->waited) || time < clock_get(all, who_issued(b, s, written));
    }
    uint32_t birth = birth_of(b, s);
    return birth == b->birth || time < clock_get(all, who_block(birth)) ||
           time < clock_get(all, who_warp(birth, t / LANES)) || time < clock_get(all, who_thread(birth, t));
}

/* ---- the async proxy ---- */

void order_proxy(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    ProxyOrder *p = &b->proxy;
    order_tick(b);
    if (!p->thread) {
        p->thread = xcalloc((size_t)b->nthreads + b->nwarps, sizeof *p->thread);
        p->warp   = p->thread + b->nthreads;
    }
    p->before     = b->base;
    p->warp[warp] = b->warp[warp].base;
    clock_join(&p->know, b->know);
    clock_join(&p->know, b->warp[warp].know);
    for (; mask; mask &= mask - 1) {
        unsigned t   = warp * LANES + (unsigned)__builtin_ctz(mask);
        p->thread[t] = b->now;
        if (b->thread)
            clock_join(&p->know, b->thread[t].know);
    }
}

bool order_proxied(const RaceBlock *b, const RaceBlock *writer, Stamp s)
{
    unsigned t     = stamp_thread(s);
    Time     time  = stamp_time(s);
    uint32_t birth = writer->birth;
    if (writer->proxy.thread &&
        (time < writer->proxy.before || time < writer->proxy.thread[t] || time < writer->proxy.warp[t / LANES]))
        return true;
    const Clock *know = b->proxy.know;
    return time < clock_get(know, who_block(birth)) || time < clock_get(know, who_warp(birth, t / LANES)) ||
           time < clock_get(know, stamp_kind(s) == BY_COPY ? who_copies(birth, COPY_LOADS, t) : who_thread(birth, t));
}

/* ---- the end of a block ---- */

void order_async_end(RaceBlock *b)
{
    for (CopyKind k = COPY_LOADS; k < COPY_KINDS; k++) {
        free(b->copy[k]);
        b->copy[k]    = NULL;
        b->copiers[k] = 0;
    }
    for (unsigned i = 0; i < WARPGROUPS; i++) {
        free(b->product[i]);
        b->product[i] = NULL;
    }
    free(b->proxy.thread);
    clock_drop(b->proxy.know);
    b->proxy = (ProxyOrder){0};
    free(b->agent);
    free(b->swizzle);
    b->agent   = NULL;
    b->swizzle = NULL;
    b->nagents = 0;
}
