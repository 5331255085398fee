/* SPDX-License-Identifier: Apache-2.0
 *
 * Serials, blocks, barriers and warps.
 *
 * A thread that has exited counts as arrived everywhere, as on the hardware: what it did before is ordered by the barriers that others
 * reach.  Not modelled: acquire and release weaker than their block for bar.warp.sync of lanes whose copies are in flight (a partial sync
 * tells the whole warp about copies that have landed; that can hide a race, never invent one). */
#include "check/race/race_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

/* ---- serials ---- */

enum { CHUNK = 1 << 14, CHUNKS = SERIALS / CHUNK };

struct Serials {
    uint32_t    next;
    SerialInfo *chunk[CHUNKS];
};

Serials *serials_new(void)
{
    Serials *s = xcalloc(1, sizeof *s);
    s->next    = 1;
    return s;
}

void serials_reset(Serials *s)
{
    for (int i = 0; i < CHUNKS; i++) {
        free(s->chunk[i]);
        s->chunk[i] = NULL;
    }
    s->next = 1;
}

void serials_free(Serials *s)
{
    if (s)
        serials_reset(s);
    free(s);
}

Time serials_floor(const Serials *s)
{
    return (Time)__atomic_load_n(&s->next, __ATOMIC_RELAXED) << TICK_BITS;
}

bool serials_scarce(const Serials *s)
{
    return __atomic_load_n(&s->next, __ATOMIC_RELAXED) > SERIALS / 2;
}

const SerialInfo *serials_info(const Serials *s, uint32_t serial)
{
    return &__atomic_load_n(&s->chunk[serial / CHUNK], __ATOMIC_ACQUIRE)[serial % CHUNK];
}

/* The last serial is given out again and again: blocks that get it look like one to each other. */
static uint32_t serial_take(Serials *s, SerialInfo info)
{
    uint32_t n = __atomic_fetch_add(&s->next, 1, __ATOMIC_RELAXED);
    if (n >= SERIALS - 1) {
        n = SERIALS - 1;
        __atomic_store_n(&s->next, n, __ATOMIC_RELAXED);
    }
    SerialInfo **at = &s->chunk[n / CHUNK], *c = __atomic_load_n(at, __ATOMIC_ACQUIRE);
    if (!c) {
        SerialInfo *fresh = xcalloc(CHUNK, sizeof *fresh);
        if (__atomic_compare_exchange_n(at, &c, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            c = fresh;
        else
            free(fresh);
    }
    c[n % CHUNK] = info;
    if (!info.birth)
        c[n % CHUNK].birth = n;
    return n;
}

/* ---- blocks ---- */

RaceBlock *order_new(Serials *s, uint32_t nthreads, uint32_t shared_bytes)
{
    RaceBlock *b = xcalloc(1, sizeof *b);
    b->serials   = s;
    b->nthreads  = nthreads;
    b->nwarps    = (nthreads + LANES - 1) / LANES;
    b->warp      = xcalloc(b->nwarps, sizeof *b->warp);
    b->npages    = (shared_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    b->shared    = xcalloc(b->npages + 1u, sizeof *b->shared);
    for (uint32_t i = 0; i < b->npages; i++)
        b->shared[i].shift = WORD_BITS;
    return b;
}

void order_start(RaceBlock *b, uint64_t index, uint32_t launch)
{
    b->index  = index;
    b->launch = launch;
    b->birth  = serial_take(b->serials, (SerialInfo){0, launch, index});
    b->now = b->base = b->oldest = (Time)b->birth << TICK_BITS;
    b->async = b->foreign = b->met = false;
    for (uint32_t w = 0; w < b->nwarps; w++) {
        uint32_t n         = b->nthreads - w * LANES;
        b->warp[w].base    = 0;
        b->warp[w].commits = 0;
        b->warp[w].threads = n >= LANES ? UINT32_MAX : (UINT32_C(1) << n) - 1;
    }
}

static void bar_clear(RaceBlock *b, BarrierOrder *bar)
{
    clock_drop(bar->passed);
    bar->passed = NULL;
    if (bar->waiting)
        memset(bar->waiting, 0, 2 * b->nwarps * sizeof *bar->waiting);
}

static void thread_clear(ThreadOrder *t)
{
    clock_drop(t->know);
    clock_drop(t->pending);
    clock_drop(t->released);
    clock_drop(t->fence_know);
    clock_drop(t->fence_all);
    *t = (ThreadOrder){0};
}

void order_end(RaceBlock *b)
{
    for (uint32_t t = 0; b->thread && t < b->nthreads; t++)
        thread_clear(&b->thread[t]);
    free(b->thread);
    b->thread = NULL;
    order_async_end(b);
    clock_drop(b->know);
    b->know = NULL;
    for (int i = 0; i < ORDER_BARRIERS; i++)
        bar_clear(b, &b->bar[i]);
    for (uint32_t w = 0; w < b->nwarps; w++) {
        free(b->warp[w].lane);
        clock_drop(b->warp[w].know);
        b->warp[w].lane = NULL;
        b->warp[w].know = NULL;
    }
    order_drop_objects(&b->objects);
}

void order_free(RaceBlock *b)
{
    order_end(b);
    for (int i = 0; i < ORDER_BARRIERS; i++)
        free(b->bar[i].waiting);
    for (uint32_t i = 0; i < b->npages; i++)
        page_free(&b->shared[i]);
    free(b->shared);
    free(b->warp);
    free(b);
}

void order_tick(RaceBlock *b)
{
    if ((b->now & (TICKS - 1)) == TICKS - 1)
        b->now = (Time)serial_take(b->serials, (SerialInfo){b->birth, b->launch, b->index}) << TICK_BITS;
    else
        b->now++;
}

/* ---- the question ---- */

bool order_before(const RaceBlock *b, unsigned thread, Stamp s, Time floor, bool loose, bool written)
{
    Time     time   = stamp_time(s);
    uint32_t serial = stamp_serial(s), birth = b->birth;
    unsigned t = stamp_thread(s);
    if (time < floor)
        return true;
    if (stamp_async(s))
        return order_async_before(b, thread, s, written);
    if (serial != (uint32_t)(b->now >> TICK_BITS))
        birth = serials_info(b->serials, serial)->birth;
    if (birth == b->birth) {
        const WarpOrder *w = &b->warp[thread / LANES];
        if (t == thread || time < b->base)
            return true;
        if (t / LANES == thread / LANES && (time < w->base || (w->lane && time < w->lane[thread % LANES][t % LANES])))
            return true;
    }
    return order_acquired(b, thread, birth, t, time, loose);
}

/* ---- events ---- */

void order_exit(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    if (b->cluster)
        order_cluster_arrive(b, warp, mask, true);
    b->warp[warp].threads &= ~mask;
}

void order_warp_sync(RaceBlock *b, uint32_t warp, uint32_t mask)
{
    WarpOrder *w = &b->warp[warp];
    if (!(mask & (mask - 1)))
        return;
    order_tick(b);
    if ((mask & w->threads) == w->threads) {
        w->base = b->now;
        if (w->lane)
            memset(w->lane, 0, LANES * sizeof *w->lane);
    } else {
        Time all[LANES] = {0};
        if (!w->lane)
            w->lane = xcalloc(LANES, sizeof *w->lane);
        for (uint32_t m = mask; m; m &= m - 1)
            for (unsigned j = 0; j < LANES; j++) {
                Time known = w->lane[__builtin_ctz(m)][j];
                all[j]     = mask >> j & 1 ? b->now : known > all[j] ? known : all[j];
            }
        for (uint32_t m = mask; m; m &= m - 1)
            memcpy(w->lane[__builtin_ctz(m)], all, sizeof all);
    }
    order_sync_warp(b, warp, mask);
}

void order_bar_arrive(RaceBlock *b, uint32_t id, uint32_t warp, uint32_t mask, bool waits)
{
    BarrierOrder *bar = &b->bar[id];
    if (!bar->waiting) {
        bar->waiting = xcalloc(2u * b->nwarps, sizeof *bar->waiting);
        bar->passing = bar->waiting + b->nwarps;
    }
    if (waits) {
        bar->waiting[warp] |= mask;
        return;
    }
    order_tick(b);
    bar->passing[warp] |= mask;
    Clock *c = order_snapshot(b, warp, mask, false);
    clock_join(&bar->passed, c);
    clock_drop(c);
}

static bool whole_block(const RaceBlock *b, const BarrierOrder *bar)
{
    for (uint32_t w = 0; w < b->nwarps; w++)
        if (bar->passing[w] || (b->warp[w].threads & ~bar->waiting[w]))
            return false;
    return true;
}

bool order_bar_is_whole(const RaceBlock *b, uint32_t id)
{
    return b->bar[id].waiting && whole_block(b, &b->bar[id]);
}

void order_bar_done(RaceBlock *b, uint32_t id)
{
    BarrierOrder *bar = &b->bar[id];
    if (!bar->waiting) /* the arrivals were not told: nothing is known about it */
        return;
    order_tick(b);
    if (whole_block(b, bar)) {
        Time before = b->base;
        b->base     = b->now;
        order_sync_block(b, before);
    } else {
        Clock *all = clock_ref(bar->passed);
        for (uint32_t w = 0; w < b->nwarps; w++) {
            if (!bar->waiting[w])
                continue;
            Clock *c = order_snapshot(b, w, bar->waiting[w], false);
            clock_join(&all, c);
            clock_drop(c);
        }
        for (uint32_t w = 0; w < b->nwarps; w++)
            if (bar->waiting[w])
                order_know(b, w, bar->waiting[w], all);
        clock_drop(all);
    }
    bar_clear(b, bar);
}
