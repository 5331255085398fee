/* SPDX-License-Identifier: Apache-2.0
 *
 * Order by other means than barriers of a block or a warp: fences with atomic accesses, acquire and release, mbarriers, cp.async.
 *
 * A release pattern is a releasing write, or a fence and then an atomic or volatile write; an acquire pattern an acquiring read, or an
 * atomic or volatile read and then a fence.  Each place that was written so has a SyncObject: what its last write releases, joined by the
 * read-modify-writes behind it.  A release reaches who reads the value at a scope that contains both; .cta patterns order within a block only.
 *
 * Three liberties.  Fences of threads that a barrier joins work for all of them (`__threadfence(); __syncthreads(); if (!t) atomicAdd(...)`),
 * which the manual gives to fence.sc.  A barrier behind an atomic read of a flag acquires for the whole block like a fence, as the last block
 * of NVIDIA's threadFenceReduction expects.  An mbarrier orders what arrived before a wait that saw any phase complete, also arrivals of
 * the next phase.  All can hide a race, none invents one. */
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/arena.h"
#include "check/race_order.h"

struct SyncObject {
    uint64_t       key;
    Clock         *wide;   /* released at cluster scope or wider, or by an mbarrier */
    Clock         *narrow; /* released at .cta by a thread of the block `birth` */
    uint32_t       birth;
    UT_hash_handle hh;
};

ThreadOrder *order_threads(RaceBlock *b)
{
    if (!b->thread)
        b->thread = xcalloc(b->nthreads, sizeof *b->thread);
    return b->thread;
}

CopyOrder *order_copies(RaceBlock *b)
{
    if (!b->copy)
        b->copy = xcalloc(b->nthreads, sizeof *b->copy);
    return b->copy;
}

/* ---- what threads would release ---- */

typedef struct Entries {
    ClockEntry e[4 * LANES + LANES + 4];
    size_t     n;
} Entries;

static void add(Entries *l, uint64_t who, Time before)
{
    if (before)
        l->e[l->n++] = (ClockEntry){who, before};
}

/* What lane i knows of single lanes of its warp. */
static void add_lanes(const RaceBlock *b, Entries *l, uint32_t warp, uint32_t lanes)
{
    const WarpOrder *w = &b->warp[warp];
    for (unsigned j = 0; w->lane && j < LANES; j++) {
        Time known = 0;
        for (uint32_t m = lanes; m; m &= m - 1) {
            Time t = w->lane[__builtin_ctz(m)][j];
            known  = t > known ? t : known;
        }
        add(l, who_thread(b->birth, warp * LANES + j), known);
    }
}

Clock *order_snapshot(const RaceBlock *b, uint32_t warp, uint32_t mask, bool outside)
{
    Entries          l;
    const WarpOrder *w = &b->warp[warp];
    l.n                = 0;
    if (outside)
        add(&l, who_block(b->birth), b->base);
    if ((mask & w->threads) == w->threads) {
        add(&l, who_warp(b->birth, warp), b->now);
    } else {
        add(&l, who_warp(b->birth, warp), w->base);
        add_lanes(b, &l, warp, mask);
        for (uint32_t m = mask; m; m &= m - 1)
            add(&l, who_thread(b->birth, warp * LANES + (unsigned)__builtin_ctz(m)), b->now);
    }
    for (uint32_t m = b->copy ? mask : 0; m; m &= m - 1) {
        unsigned t = warp * LANES + (unsigned)__builtin_ctz(m);
        add(&l, who_copies(b->birth, t), b->copy[t].waited);
    }
    Clock *c = clock_new(l.e, l.n);
    if (outside)
        clock_join(&c, b->know);
    for (uint32_t m = b->thread ? mask : 0; m; m &= m - 1)
        clock_join(&c, b->thread[warp * LANES + (unsigned)__builtin_ctz(m)].know);
    return c;
}

bool order_acquired(const RaceBlock *b, unsigned thread, uint32_t birth, unsigned t, Time time, bool loose)
{
    const ThreadOrder *own     = b->thread ? &b->thread[thread] : NULL;
    const Clock       *know[3] = {b->know, own ? own->know : NULL, loose && own ? own->pending : NULL};
    for (int i = 0; i < 3; i++)
        if (know[i] &&
            (time < clock_get(know[i], who_block(birth)) || time < clock_get(know[i], who_warp(birth, t / LANES)) ||
             time < clock_get(know[i], who_thread(birth, t))))
            return true;
    return false;
}

/* ---- fences ---- */

static void acquire(RaceBlock *b, Clock **to, Clock *from, bool only_block)
{
    if (!only_block) {
        clock_join(to, from);
        return;
    }
    Clock *part = clock_of_block(from, b->birth);
    clock_join(to, part);
    clock_drop(part);
}

static void replace(Clock **to, Clock *from)
{
    Clock *old = *to;
    *to        = clock_ref(from);
    clock_drop(old);
}

void order_fence(RaceBlock *b, uint32_t warp, uint32_t mask, Sem sem, Scope scope)
{
    ThreadOrder *thread = order_threads(b);
    order_tick(b);
    for (uint32_t m = mask; m; m &= m - 1) {
        ThreadOrder *t = &thread[warp * LANES + (unsigned)__builtin_ctz(m)];
        if (sem != SEM_RELEASE) {
            acquire(b, &t->know, t->pending, scope == SCOPE_CTA);
            if (scope != SCOPE_CTA)
                replace(&t->pending, NULL);
        }
        if (sem == SEM_ACQUIRE)
            continue;
        replace(&t->released, NULL);
        replace(&t->fence_know, t->know);
        replace(&t->fence_all, b->know);
        t->fence       = b->now;
        t->fence_base  = b->base;
        t->fence_warp  = b->warp[warp].base;
        t->fence_scope = (uint8_t)scope;
        t->fresh       = !t->looked;
        t->looked      = false;
    }
}

/* What the thread's last fence releases. */
static Clock *fenced(const RaceBlock *b, ThreadOrder *t, unsigned thread)
{
    if (!t->released) {
        Entries l;
        l.n = 0;
        add(&l, who_block(b->birth), t->fence_base);
        add(&l, who_warp(b->birth, thread / LANES), t->fence_warp);
        add(&l, who_thread(b->birth, thread), t->fence);
        t->released = clock_new(l.e, l.n);
        clock_join(&t->released, t->fence_know);
        clock_join(&t->released, t->fence_all);
    }
    return t->released;
}

/* ---- objects ---- */

static SyncObject *find(SyncObject *const *objects, uint64_t key)
{
    SyncObject *o;
    HASH_FIND(hh, *objects, &key, sizeof key, o);
    return o;
}

static SyncObject *make(SyncObject **objects, uint64_t key)
{
    SyncObject *o = find(objects, key);
    if (!o) {
        o      = xcalloc(1, sizeof *o);
        o->key = key;
        HASH_ADD(hh, *objects, key, sizeof key, o);
    }
    return o;
}

static void forget(SyncObject *o)
{
    clock_drop(o->wide);
    clock_drop(o->narrow);
    o->wide = o->narrow = NULL;
}

void order_drop_objects(SyncObject **objects)
{
    SyncObject *o, *next;
    HASH_ITER(hh, *objects, o, next)
    {
        HASH_DEL(*objects, o); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
        forget(o);
        free(o);
    }
}

static void release(RaceBlock *b, SyncObject *o, Clock *c, Scope scope)
{
    if (scope != SCOPE_CTA) {
        clock_join(&o->wide, c);
        return;
    }
    if (o->birth != b->birth)
        replace(&o->narrow, NULL);
    o->birth = b->birth;
    clock_join(&o->narrow, c);
}

static Scope narrower(Scope a, Scope b)
{
    return a < b ? a : b;
}

uint32_t order_publishing(const RaceBlock *b, uint32_t warp, uint32_t mask)
{
    uint32_t fresh = 0;
    for (uint32_t m = b->thread ? mask : 0; m; m &= m - 1)
        fresh |= b->thread[warp * LANES + (unsigned)__builtin_ctz(m)].fresh ? m & -m : 0;
    return fresh;
}

static void strong_write(RaceBlock *b, SyncObject **objects, uint64_t key, unsigned thread, bool rmw, Sem sem,
                         Scope scope)
{
    ThreadOrder *t = &b->thread[thread];
    Clock       *c = NULL;
    t->fresh       = false;
    if (sem >= SEM_RELEASE) {
        order_tick(b);
        c = order_snapshot(b, thread / LANES, UINT32_C(1) << thread % LANES, true);
    } else if (t->fence) {
        c     = clock_ref(fenced(b, t, thread));
        scope = narrower(scope, (Scope)t->fence_scope);
    }
    SyncObject *o = c ? make(objects, key) : find(objects, key);
    if (o && !rmw)
        forget(o);
    if (c)
        release(b, o, c, scope);
    clock_drop(c);
}

void order_strong(RaceBlock *b, SyncObject **objects, uint64_t key, unsigned thread, bool reads, bool writes, Sem sem,
                  Scope scope)
{
    ThreadOrder      *t = &order_threads(b)[thread];
    const SyncObject *o = reads ? find(objects, key) : NULL;
    t->looked |= reads;
    if (o) {
        bool    now = sem == SEM_ACQUIRE || sem >= SEM_ACQ_REL;
        Clock **to  = now ? &t->know : &t->pending;
        acquire(b, to, o->wide, scope == SCOPE_CTA);
        if (o->birth == b->birth)
            clock_join(to, o->narrow);
    }
    if (writes)
        strong_write(b, objects, key, thread, reads, sem, scope);
}

void order_weak_write(SyncObject **objects, uint64_t key)
{
    SyncObject *o = *objects ? find(objects, key) : NULL;
    if (o)
        forget(o);
}

/* ---- mbarriers ---- */

void order_mbarrier_init(RaceBlock *b, uint32_t off)
{
    forget(make(&b->objects, off));
}

void order_mbarrier_arrive(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off)
{
    order_tick(b);
    while (mask) { /* lanes that arrive at the same one together */
        uint32_t at = off[__builtin_ctz(mask)], same = 0;
        for (uint32_t m = mask; m; m &= m - 1)
            same |= off[__builtin_ctz(m)] == at ? m & -m : 0;
        Clock *c = order_snapshot(b, warp, same, true);
        clock_join(&make(&b->objects, at)->wide, c);
        clock_drop(c);
        mask &= ~same;
    }
}

void order_mbarrier_copies(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off)
{
    order_tick(b);
    for (; mask; mask &= mask - 1) {
        unsigned   i = (unsigned)__builtin_ctz(mask);
        ClockEntry e = {who_copies(b->birth, warp * LANES + i), b->now};
        Clock     *c = clock_new(&e, 1);
        clock_join(&make(&b->objects, off[i])->wide, c);
        clock_drop(c);
    }
}

void order_mbarrier_done(RaceBlock *b, uint32_t warp, uint32_t mask, const uint32_t *off)
{
    for (; mask; mask &= mask - 1) {
        unsigned          i = (unsigned)__builtin_ctz(mask);
        const SyncObject *o = find(&b->objects, off[i]);
        if (o)
            clock_join(&order_threads(b)[warp * LANES + i].know, o->wide);
    }
}

/* ---- cp.async ---- */

void order_commit(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    CopyOrder *copy = order_copies(b);
    order_tick(b);
    for (; mask; mask &= mask - 1) {
        CopyOrder *c                            = &copy[warp * LANES + (unsigned)__builtin_ctz(mask)];
        c->commit[c->commits++ % ORDER_COMMITS] = b->now;
    }
}

void order_wait(RaceBlock *b, uint32_t warp, uint32_t mask, uint32_t pending)
{
    CopyOrder *copy = order_copies(b);
    order_tick(b);
    for (; mask; mask &= mask - 1) {
        CopyOrder *c = &copy[warp * LANES + (unsigned)__builtin_ctz(mask)];
        if (pending == ALL_COPIES)
            c->waited = b->now;
        else if (pending < c->commits && pending < ORDER_COMMITS)
            c->waited = c->commit[(c->commits - 1 - pending) % ORDER_COMMITS];
    }
}

bool order_copy_before(const RaceBlock *b, unsigned thread, Stamp s)
{
    uint32_t serial = stamp_serial(s), birth = b->birth;
    unsigned t    = stamp_thread(s);
    Time     time = stamp_time(s);
    if (serial != (uint32_t)(b->now >> TICK_BITS))
        birth = serials_info(b->serials, serial)->birth;
    if (birth == b->birth && b->copy) {
        const CopyOrder *c = &b->copy[t];
        if (time < c->block || (t / LANES == thread / LANES && time < c->warp) || (t == thread && time < c->waited))
            return true;
    }
    uint64_t who = who_copies(birth, t);
    return time < clock_get(b->know, who) || (b->thread && time < clock_get(b->thread[thread].know, who));
}

/* ---- barriers ---- */

void order_sync_block(RaceBlock *b, Time before)
{
    for (uint32_t i = 0; b->thread && i < b->nthreads; i++) {
        ThreadOrder *t = &b->thread[i];
        clock_join(&b->know, t->know);
        clock_join(&b->know, t->pending);
        replace(&t->know, NULL);
        replace(&t->pending, NULL);
    }
    for (uint32_t i = 0; b->thread && i < b->nthreads; i++) {
        ThreadOrder *t = &b->thread[i];
        if (t->fence <= before)
            continue;
        t->fence = t->fence_base = b->now;
        replace(&t->fence_all, b->know);
        replace(&t->released, NULL);
    }
    for (uint32_t i = 0; b->copy && i < b->nthreads; i++)
        b->copy[i].block = b->copy[i].warp = b->copy[i].waited;
}

void order_sync_warp(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    Clock *all = NULL;
    for (uint32_t m = b->thread ? mask : 0; m; m &= m - 1)
        clock_join(&all, b->thread[warp * LANES + (unsigned)__builtin_ctz(m)].know);
    for (uint32_t m = all ? mask : 0; m; m &= m - 1)
        clock_join(&b->thread[warp * LANES + (unsigned)__builtin_ctz(m)].know, all);
    clock_drop(all);
    for (uint32_t m = b->copy ? mask : 0; m; m &= m - 1) {
        CopyOrder *c = &b->copy[warp * LANES + (unsigned)__builtin_ctz(m)];
        c->warp      = c->waited;
    }
}
