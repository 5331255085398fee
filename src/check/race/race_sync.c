/* SPDX-License-Identifier: Apache-2.0
 *
 * Order by other means than barriers of a block or a warp: fences with atomic accesses, acquire and release.
 *
 * A release pattern is a releasing write, or a fence and then an atomic or volatile write; an acquire pattern an acquiring read, or an
 * atomic or volatile read and then a fence.  Each place that was written so has a SyncObject: what its last write releases, joined by the
 * read-modify-writes behind it.  A release reaches who reads the value at a scope that contains both; .cta patterns order within a block
 * only.
 *
 * Two liberties.  Fences of threads that a barrier joins work for all of them (`__threadfence(); __syncthreads(); if (!t) atomicAdd(...)`),
 * which the manual gives to fence.sc.  A barrier behind an atomic read of a flag acquires for the whole block like a fence, as the last
 * block of NVIDIA's threadFenceReduction expects.  Both can hide a race, neither invents one. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/race/race_object.h"

ThreadOrder *order_threads(RaceBlock *b)
{
    if (!b->thread)
        b->thread = xcalloc(b->nthreads, sizeof *b->thread);
    return b->thread;
}

/* ---- what threads would release ---- */

typedef struct Entries {
    ClockEntry e[5 * LANES + 4];
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
    for (CopyKind k = COPY_LOADS; k < COPY_KINDS; k++)
        for (uint32_t m = b->copiers[k] >> warp & 1 ? w->threads | mask : 0; m; m &= m - 1) {
            unsigned         t    = warp * LANES + (unsigned)__builtin_ctz(m);
            const CopyOrder *copy = &b->copy[k][t]; /* another lane's: as far as the warp was told by bar.warp.sync */
            add(&l, who_copies(b->birth, k, t), mask >> t % LANES & 1 ? copy->waited : copy->warp);
        }
    Clock *c = clock_new(l.e, l.n);
    if (outside)
        clock_join(&c, b->know);
    clock_join(&c, w->know);
    for (uint32_t m = b->thread ? mask : 0; m; m &= m - 1)
        clock_join(&c, b->thread[warp * LANES + (unsigned)__builtin_ctz(m)].know);
    return c;
}

bool order_acquired(const RaceBlock *b, unsigned thread, uint32_t birth, unsigned t, Time time, bool loose)
{
    const ThreadOrder *own     = b->thread ? &b->thread[thread] : NULL;
    const Clock       *know[4] = {b->know, b->warp[thread / LANES].know, own ? own->know : NULL,
                            loose && own ? own->pending : NULL};
    for (int i = 0; i < 4; i++)
        if (know[i] &&
            (time < clock_get(know[i], who_block(birth)) || time < clock_get(know[i], who_warp(birth, t / LANES)) ||
             time < clock_get(know[i], who_thread(birth, t))))
            return true;
    return false;
}

void order_know(RaceBlock *b, uint32_t warp, uint32_t mask, Clock *c)
{
    WarpOrder *w = &b->warp[warp];
    if (!c)
        return;
    if ((mask & w->threads) == w->threads) {
        clock_join(&w->know, c);
        return;
    }
    ThreadOrder *thread = order_threads(b);
    for (; mask; mask &= mask - 1)
        clock_join(&thread[warp * LANES + (unsigned)__builtin_ctz(mask)].know, c);
}

/* ---- programmatic launches ---- */

void order_wait_for_grids(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    ClockEntry over = {who_grids(), 1};
    Clock     *c    = clock_new(&over, 1);
    order_know(b, warp, mask, c);
    clock_drop(c);
}

bool order_waited_for_grids(const RaceBlock *b, unsigned thread)
{
    const ThreadOrder *own = b->thread ? &b->thread[thread] : NULL;
    return clock_get(b->know, who_grids()) || clock_get(b->warp[thread / LANES].know, who_grids()) ||
           (own && clock_get(own->know, who_grids()));
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
        clock_join(&t->fence_know, b->warp[warp].know);
        replace(&t->fence_all, b->know);
        t->fence       = b->now;
        t->fence_base  = b->base;
        t->fence_warp  = b->warp[warp].base;
        t->fence_scope = (uint8_t)scope;
        t->fresh       = !t->looked || t->wrote;
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

Clock *order_fenced(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    Clock *all = NULL;
    for (uint32_t m = b->thread ? mask : 0; m; m &= m - 1) {
        unsigned t = warp * LANES + (unsigned)__builtin_ctz(m);
        if (b->thread[t].fence)
            clock_join(&all, fenced(b, &b->thread[t], t));
    }
    return all;
}

/* ---- objects ---- */

SyncObject *object_find(SyncObject *const *objects, uint64_t key)
{
    SyncObject *o;
    HASH_FIND(hh, *objects, &key, sizeof key, o);
    return o;
}

SyncObject *object_make(SyncObject **objects, uint64_t key)
{
    SyncObject *o = object_find(objects, key);
    if (!o) {
        o      = xcalloc(1, sizeof *o);
        o->key = key;
        HASH_ADD(hh, *objects, key, sizeof key, o);
    }
    return o;
}

void object_forget(SyncObject *o)
{
    clock_drop(o->wide);
    clock_drop(o->narrow);
    clock_drop(o->arriving);
    o->wide = o->narrow = o->arriving = NULL;
}

void order_drop_objects(SyncObject **objects)
{
    SyncObject *o, *next;
    HASH_ITER(hh, *objects, o, next)
    {
        HASH_DEL(*objects, o); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
        object_forget(o);
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
    t->wrote |= !rmw;
    if (sem >= SEM_RELEASE) {
        order_tick(b);
        c = order_snapshot(b, thread / LANES, UINT32_C(1) << thread % LANES, true);
    } else if (t->fence) {
        c     = clock_ref(fenced(b, t, thread));
        scope = narrower(scope, (Scope)t->fence_scope);
    }
    SyncObject *o = c ? object_make(objects, key) : object_find(objects, key);
    if (o && !rmw)
        object_forget(o);
    if (c)
        release(b, o, c, scope);
    if (o)
        o->last = rmw ? stamp_make(b->now, thread, 0, BY_THREAD, STRENGTH_GPU) : 0;
    clock_drop(c);
}

Stamp order_last(SyncObject *const *objects, uint64_t key)
{
    const SyncObject *o = *objects ? object_find(objects, key) : NULL;
    return o ? o->last : 0;
}

void order_look(RaceBlock *b, unsigned thread)
{
    ThreadOrder *t = &order_threads(b)[thread];
    t->looked      = true;
    t->wrote       = false;
}

void order_strong(RaceBlock *b, SyncObject **objects, uint64_t key, unsigned thread, bool reads, bool writes, Sem sem,
                  Scope scope)
{
    ThreadOrder      *t = &order_threads(b)[thread];
    const SyncObject *o = reads ? object_find(objects, key) : NULL;
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

void order_weak_write(RaceBlock *b, SyncObject **objects, uint64_t key, unsigned thread)
{
    if (b->thread)
        b->thread[thread].wrote = true;
    SyncObject *o = *objects ? object_find(objects, key) : NULL;
    if (o)
        object_forget(o);
}

/* ---- barriers ---- */

void order_sync_block(RaceBlock *b, Time before)
{
    for (uint32_t i = 0; i < b->nwarps; i++) {
        clock_join(&b->know, b->warp[i].know);
        replace(&b->warp[i].know, NULL);
    }
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
    for (CopyKind k = COPY_LOADS; k < COPY_KINDS; k++)
        for (uint32_t warps = b->copiers[k]; warps; warps &= warps - 1) {
            CopyOrder *c = &b->copy[k][(unsigned)__builtin_ctz(warps) * LANES];
            for (unsigned i = 0; i < LANES; i++)
                c[i].block = c[i].warp = c[i].waited;
        }
}

void order_sync_warp(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    WarpOrder *w   = &b->warp[warp];
    Clock     *all = NULL;
    for (uint32_t m = b->thread ? mask : 0; m; m &= m - 1)
        clock_join(&all, b->thread[warp * LANES + (unsigned)__builtin_ctz(m)].know);
    for (uint32_t m = all && (mask & w->threads) == w->threads ? mask : 0; m; m &= m - 1)
        replace(&b->thread[warp * LANES + (unsigned)__builtin_ctz(m)].know, NULL);
    order_know(b, warp, mask, all);
    clock_drop(all);
    for (CopyKind k = COPY_LOADS; k < COPY_KINDS; k++)
        for (uint32_t m = b->copiers[k] >> warp & 1 ? mask : 0; m; m &= m - 1) {
            CopyOrder *c = &b->copy[k][warp * LANES + (unsigned)__builtin_ctz(m)];
            c->warp      = c->waited;
        }
}
