/* SPDX-License-Identifier: Apache-2.0
 *
 * What an asynchronous operation finds in the cells of shadow memory and leaves there: whole rows at a time, at the time it is issued.
 *
 * Beside races: operations of the async proxy that read shared memory which a thread wrote with no fence.proxy.async behind it, and wgmma
 * reading what a tensor copy wrote with another swizzle.  cp.async counts as neither: that it needs the fence is not how programs use
 * it. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/race/race_cells.h"

enum { CHUNK_BITS = 4 };

typedef struct Walk { /* one side of one operation */
    Cells             *cells;
    RaceBlock         *b, *owner; /* who issued it; whose shared memory, NULL: global */
    const AsyncAccess *a;
    unsigned           thread;
    Stamp              me, dead, base;
    Stamp              over[2], open[2]; /* what was last found to be over, and not to be, by `written` */
    uint64_t           first;            /* where the page begins */
} Walk;

static bool same_agent(Stamp a, Stamp b)
{
    return ((a ^ b) & (KIND_MASK | (Stamp)1023 << THREAD_SHIFT)) == 0 && stamp_serial(a) == stamp_serial(b);
}

static bool is_over(Walk *w, Stamp s, bool written)
{
    if (s < w->dead || (s < w->base && !stamp_async(s)) || (s ^ w->over[written]) >> KIND_SHIFT == 0)
        return true;
    if ((s ^ w->open[written]) >> KIND_SHIFT == 0)
        return false;
    uint32_t launch                                 = cells_launch(w->cells, w->b, s);
    bool     over                                   = launch != w->b->launch
                                                          ? works_before(w->cells->run->race->works, w->cells->run, launch, w->b, w->thread, false)
                                                          : (!stamp_async(s) && stamp_thread(s) == w->thread &&
                       stamp_serial(s) == (uint32_t)(w->b->now >> TICK_BITS)) ||
                          order_before(w->b, w->thread, s, w->cells->run->floor, false, written);
    *(over ? &w->over[written] : &w->open[written]) = s;
    return over;
}

/* With the stamp at `at`, which is the page's first that clashes. */
static RaceClash clash_with(const Walk *w, const Access *x, Stamp other, uint64_t at)
{
    return (RaceClash){.access       = x,
                       .lane         = w->a->lane,
                       .thread       = w->thread,
                       .me           = w->me,
                       .other        = other,
                       .writes       = w->a->writes,
                       .other_writes = true,
                       .at           = at,
                       .owner        = w->owner};
}

static Access access_of(const Walk *w)
{
    return (Access){
        .instr = w->a->instr, .space = w->a->space, .op = ACCESS_COPY, .warp = w->a->warp, .block = w->a->block};
}

/* Left by a lower lane that issues the very same store in this instruction: whichever lands last, the bytes are the same. */
static bool is_twin(const Walk *w, Stamp s)
{
    return ((s ^ w->me) & ~((Stamp)(LANES - 1) << THREAD_SHIFT)) == 0 && w->a->twins >> stamp_thread(s) % LANES & 1;
}

static void report(const Walk *w, const Page *p, size_t i, Plane k)
{
    Access    x    = access_of(w);
    RaceClash c    = clash_with(w, &x, p->plane[k][i], w->first + (i << p->shift));
    c.other_writes = k <= PLANE_WRITE2;
    c.twin         = is_twin(w, c.other);
    race_report(w->cells->run, &w->cells->found, w->b, &c);
}

static bool clashes(Walk *w, Stamp s, Plane k)
{
    bool atomic = w->a->reduces && stamp_strength(s) == STRENGTH_GPU;
    return s && !atomic && !is_over(w, s, k <= PLANE_WRITE2);
}

/* The first of the cells that clashes in that plane is told, and the first with the same store of another lane. */
static void look(Walk *w, const Page *p, size_t i, size_t end, Plane k)
{
    const Stamp *s    = p->plane[k];
    bool         twin = false;
    for (; s && i < end; i++) {
        if (twin && is_twin(w, s[i]))
            continue;
        if (!clashes(w, s[i], k))
            continue;
        report(w, p, i, k);
        twin = is_twin(w, s[i]);
        if (!twin)
            return;
    }
}

static void keep_writes(const Walk *w, Page *p, size_t i, size_t end)
{
    Stamp *s = page_plane(p, PLANE_WRITE);
    p->quiet = 0;
    for (size_t j = i; j < end; j++)
        s[j] = w->me;
    for (Plane k = PLANE_WRITE2; k < PLANES; k++)
        for (size_t j = i; p->plane[k] && j < end; j++)
            p->plane[k][j] = 0;
}

static void keep_reads(Walk *w, Page *p, size_t i, size_t end)
{
    Stamp *a = page_plane(p, PLANE_READ), *c = p->plane[PLANE_READ2];
    p->quiet = 0;
    for (; i < end; i++) {
        if (c && same_agent(c[i], w->me)) {
            c[i] = w->me;
        } else if (same_agent(a[i], w->me) || is_over(w, a[i], false)) {
            a[i] = w->me;
        } else {
            c    = page_plane(p, PLANE_READ2);
            c[i] = w->me;
        }
    }
}

/* ---- the async proxy ---- */

static RaceBlock *writer_of(const Walk *w, Stamp s)
{
    uint32_t            birth = serials_info(w->b->serials, stamp_serial(s))->birth;
    const ClusterOrder *c     = w->owner->cluster;
    if (birth == w->owner->birth)
        return w->owner;
    for (unsigned i = 0; c && i < CLUSTER_BLOCKS; i++)
        if (c->block[i] && c->block[i]->birth == birth)
            return c->block[i];
    return NULL;
}

static void look_at_proxy(const Walk *w, const Page *p, size_t i, size_t end)
{
    const Stamp *s    = p->plane[PLANE_WRITE];
    Stamp        fine = 0;
    for (; s && i < end; i++) {
        if ((stamp_async(s[i]) && stamp_kind(s[i]) != BY_COPY) || s[i] < w->dead || (s[i] ^ fine) >> KIND_SHIFT == 0 ||
            s[i] < w->owner->proxy.before << TIME_SHIFT)
            continue;
        const RaceBlock *writer = writer_of(w, s[i]);
        if (!writer || order_proxied(w->b, writer, s[i])) {
            fine = s[i];
            continue;
        }
        Access    x = access_of(w);
        RaceClash c = clash_with(w, &x, s[i], w->first + (i << p->shift));
        race_report_proxy(w->cells->run, &w->cells->found, w->b, &c);
        return;
    }
}

/* ---- swizzles ---- */

static void keep_swizzle(const Walk *w, uint64_t at, uint64_t end)
{
    RaceBlock *o = w->owner;
    if (!o->swizzle)
        o->swizzle = xcalloc(((size_t)o->npages << PAGE_BITS) >> CHUNK_BITS, 1);
    for (uint64_t i = at >> CHUNK_BITS; i << CHUNK_BITS < end; i++)
        o->swizzle[i] = w->a->tensor ? (uint8_t)(w->a->swizzle + 1) : 0;
}

static void look_at_swizzle(const Walk *w, const Page *p, uint64_t at)
{
    const RaceBlock *o   = w->owner;
    uint8_t          was = o->swizzle ? o->swizzle[at >> CHUNK_BITS] : 0;
    const Stamp     *s   = p->plane[PLANE_WRITE];
    size_t           i   = (at & (PAGE_BYTES - 1)) >> p->shift;
    if (!was || was == w->a->swizzle + 1 || !s || stamp_kind(s[i]) != BY_AGENT || s[i] < w->dead)
        return;
    Access    x = access_of(w);
    RaceClash c = clash_with(w, &x, s[i], at);
    race_report_swizzle(w->cells->run, &w->cells->found, w->b, &c, was - 1u, w->a->swizzle);
}

/* ---- rows ---- */

static void touch_cells(Walk *w, Page *p, uint64_t at, uint64_t end)
{
    size_t i = (at - w->first) >> p->shift, last = (end - w->first + (1u << p->shift) - 1) >> p->shift;
    look(w, p, i, last, PLANE_WRITE);
    look(w, p, i, last, PLANE_WRITE2);
    if (w->owner && !w->a->writes)
        look_at_proxy(w, p, i, last);
    if (w->a->by == ASYNC_BY_WGMMA)
        look_at_swizzle(w, p, at);
    if (!w->a->writes) {
        keep_reads(w, p, i, last);
        return;
    }
    look(w, p, i, last, PLANE_READ);
    look(w, p, i, last, PLANE_READ2);
    keep_writes(w, p, i, last);
}

static void touch_row(Walk *w, uint64_t at, uint64_t end)
{
    while (at < end) {
        uint64_t next = (at | (PAGE_BYTES - 1)) + 1, stop = next < end ? next : end;
        Page    *p     = w->owner ? &w->owner->shared[at >> PAGE_BITS] : cells_page(w->cells, at);
        bool     locks = !w->owner && w->cells->locks;
        w->first       = at & ~(uint64_t)(PAGE_BYTES - 1);
        if (locks)
            page_lock(p);
        if ((at | stop) & 3 && p->shift)
            page_split(p);
        page_is_newer(p, w->me);
        touch_cells(w, p, at, stop);
        if (locks)
            page_unlock(p);
        at = stop;
    }
}

/* Who does it, in whose time. */
static Stamp stamp_of(RaceBlock *b, RaceBlock *mbar, const AsyncAccess *a, unsigned site)
{
    Strength strength = a->reduces ? STRENGTH_GPU : STRENGTH_WEAK;
    switch ((AsyncBy)a->by) {
    case ASYNC_BY_MBARRIER: return stamp_make(mbar->now, order_agent(mbar, a->mbar), site, BY_AGENT, strength);
    case ASYNC_BY_GROUP:
        order_copies(b, a->writes ? COPY_WRITES : COPY_READS, a->warp);
        return stamp_make(b->now, a->warp * LANES + a->lane, site, BY_GROUP, strength);
    default:
        return stamp_make(order_product(b, a->warp, a->product), AGENT_WARPGROUP + a->warp / 4, site, BY_AGENT,
                          strength);
    }
}

void race_bulk(Cells *cells, RaceBlock *b, RaceBlock *owner, RaceBlock *mbar, const AsyncAccess *a, unsigned site)
{
    Walk w = {.cells = cells, .b = b, .owner = owner, .a = a, .thread = a->warp * LANES + a->lane};
    w.me   = stamp_of(b, mbar, a, site);
    w.dead = w.base = (owner ? owner->oldest : cells->run->floor) << TIME_SHIFT;
    if (owner) {
        owner->async = true;
        owner->foreign |= owner != b;
        if (owner == b && !owner->foreign)
            w.base = b->base << TIME_SHIFT;
    }
    for (size_t i = 0; i < a->nruns; i++) {
        touch_row(&w, a->run[i].at, a->run[i].at + a->run[i].bytes);
        if (owner && a->writes)
            keep_swizzle(&w, a->run[i].at, a->run[i].at + a->run[i].bytes);
    }
    if (!owner)
        launch_stir(cells->run->info);
}

/* ---- the end of a block ---- */

static void look_at_plane(Cells *cells, const RaceBlock *b, const Clock *all, unsigned page, Plane k)
{
    enum { SEEN = 8 };
    const Page  *p          = &b->shared[page];
    const Stamp *s          = p->plane[k];
    Stamp        seen[SEEN] = {0};
    for (size_t i = 0; s && i < (size_t)PAGE_BYTES >> p->shift; i++) {
        Stamp *last = &seen[(s[i] >> THREAD_SHIFT ^ s[i] >> SITE_SHIFT) % SEEN];
        if (s[i] < b->oldest << TIME_SHIFT || s[i] == *last || stamp_kind(s[i]) == BY_COPY)
            continue;
        *last = s[i];
        if (!order_known(b, all, s[i], k <= PLANE_WRITE2))
            race_report_exit(cells->run, &cells->found, b, s[i], k <= PLANE_WRITE2,
                             ((uint64_t)page << PAGE_BITS) + (i << p->shift));
    }
}

void race_bulk_end(Cells *cells, RaceBlock *b)
{
    if (!b->async && !b->foreign)
        return;
    for (uint32_t w = 0; w < b->nwarps; w++)
        if (b->warp[w].threads) /* the launch was stopped */
            return;
    Clock *all = order_all_known(b);
    for (unsigned n = 0; n < b->npages; n++)
        for (Plane k = PLANE_WRITE; k < PLANES; k++)
            look_at_plane(cells, b, all, n, k);
    clock_drop(all);
}
