/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells.  The rules are those of touch_lane, one lane and one cell after the other.  Before it come shortcuts for what warps mostly do,
 * which decide about 32 lanes at once that touch_lane would report nothing and keep the same, or nothing worth keeping:
 *
 *     a run of cells, lane after lane     fresh: nobody lives there; known: it is full of readers; second: one other reader
 *     any cells, weak reads               known
 *     one cell, weak reads                two lanes stand for all
 *
 * A cell is full when its two readers are of different blocks, or (shared memory) different warps, or touched it since anything was
 * ordered and no reader can be farther apart. */
#include "check/race_cells.h"

#include <string.h>

#define SERIAL_MASK (~UINT64_C(0) << (TIME_SHIFT + TICK_BITS))
#define WARP_MASK   (UINT64_C(31) << (THREAD_SHIFT + 5))
#define OWN_MASK    (SERIAL_MASK | UINT64_C(1023) << THREAD_SHIFT | 4)

/* ---- one cell --------------------------------------------------------------------------------------------------------- */

/* How far two stamps are apart: 0 one thread, 1 lanes of a warp, 2 threads of a block, 3 blocks (or a block's serials). */
static inline unsigned distance(Stamp a, Stamp b)
{
    Stamp d = a ^ b;
    if (d >> (TIME_SHIFT + TICK_BITS))
        return 3;
    return d >> (THREAD_SHIFT + 5) & 31 ? 2 : (d >> THREAD_SHIFT & 31) != 0;
}

/* Both atomic, at scopes that hold the other thread. */
static inline bool atomic_pair(Stamp a, Stamp b)
{
    Strength x = stamp_strength(a), y = stamp_strength(b);
    return (x == STRENGTH_GPU && y == STRENGTH_GPU) || (x & 1 && y & 1 && distance(a, b) < 3);
}

/* What a flag was seen to say orders atomic accesses and volatile reads without a fence: nothing moves them before it. */
static inline bool before(const Touch *t, Stamp me, Stamp other)
{
    bool loose = stamp_strength(other) && stamp_strength(me) && stamp_strength(me) != STRENGTH_VOLATILE;
    return order_before(t->b, stamp_thread(me), other, t->cells->run->floor, loose);
}

/* Has the thread read the cell since it was written?  Then its own write comes behind that write. */
static bool has_read(const Page *p, size_t i, Stamp me)
{
    return (p->plane[PLANE_READ] && distance(p->plane[PLANE_READ][i], me) == 0) ||
           (p->plane[PLANE_READ2] && distance(p->plane[PLANE_READ2][i], me) == 0);
}

static inline bool clashes(const Touch *t, const Page *p, size_t i, Plane k, Stamp me)
{
    Stamp other = p->plane[k][i];
    if (other < t->dead)
        return false;
    if (distance(me, other) == 0 && !stamp_async(other))
        return false;
    if (atomic_pair(me, other) || before(t, me, other))
        return false;
    if (stamp_strength(me) == STRENGTH_VOLATILE && stamp_strength(other) && k <= PLANE_WRITE2 && has_read(p, i, me))
        return !order_before(t->b, stamp_thread(me), other, t->cells->run->floor, true);
    return true;
}

/* Keeps me beside first and second. */
static void keep(const Touch *t, Page *p, Plane plane, size_t i, Stamp me)
{
    Stamp   *first = &page_plane(p, plane)[i], a = *first;
    unsigned apart = distance(a, me);
    if (a < t->dead || apart == 0) {
        if (a < t->dead || stamp_strength(a) || !t->strong)
            *first = me;
        return;
    }
    const Stamp *second = p->plane[plane + 1];
    Stamp        c      = second ? second[i] : 0;
    bool         full   = c >= t->dead && distance(a, c) >= apart;
    if (full && !t->cells->run->flags && (apart == 3 || (apart == 2 && t->a->space == ACCESS_SHARED)))
        return;
    if (before(t, me, a))
        *first = me;
    else if (!full || before(t, me, c))
        page_plane(p, (Plane)(plane + 1))[i] = me;
}

static void keep_write(const Touch *t, Page *p, size_t i, Stamp me)
{
    if (t->strong) {
        keep(t, p, PLANE_WRITE, i, me);
    } else {
        page_plane(p, PLANE_WRITE)[i] = me;
        if (p->plane[PLANE_WRITE2])
            p->plane[PLANE_WRITE2][i] = 0;
    }
    for (Plane k = PLANE_READ; k <= PLANE_READ2; k++)
        if (p->plane[k] && p->plane[k][i])
            p->plane[k][i] = 0;
}

/* The first plane whose stamp clashes with me; PLANES: none. */
static inline Plane find_clash(const Touch *t, const Page *p, size_t i, Stamp me)
{
    Plane last = t->writes ? PLANES : PLANE_READ;
    for (Plane k = PLANE_WRITE; k < last; k++)
        if (p->plane[k] && clashes(t, p, i, k, me))
            return k;
    return PLANES;
}

static void touch_lane(const Touch *t, Page *p, unsigned lane, unsigned at)
{
    Stamp    me    = t->me | (Stamp)lane << THREAD_SHIFT | (t->flags >> lane & 1);
    unsigned cells = t->a->bytes >> p->shift;
    bool     told  = false;
    uint64_t where = t->a->off ? t->a->off[lane] : t->a->addr[lane];
    for (size_t i = at >> p->shift, end = i + (cells ? cells : 1); i < end; i++) {
        Plane k = find_clash(t, p, i, me);
        if (k != PLANES && !told) {
            RaceClash c = {t->a, lane, me, p->plane[k][i], t->writes, k <= PLANE_WRITE2, where};
            race_report(t->cells->run, &t->cells->found, t->b, &c);
            told = true;
        }
        if (t->writes)
            keep_write(t, p, i, me);
        else
            keep(t, p, PLANE_READ, i, me);
    }
}

/* ---- 32 lanes at once ------------------------------------------------------------------------------------------------- */

#define HOT static inline __attribute__((always_inline))

HOT bool is_own(Stamp a, Stamp me)
{
    return ((a ^ me) & OWN_MASK) == 0;
}

/* a, c: two readers.  differ: bits that tell blocks apart, or also warps; 0: nothing is enough. */
HOT bool is_full(Stamp a, Stamp c, Stamp me, Stamp dead, Stamp differ)
{
    bool live    = (a >= dead) & (c >= dead) & (((a ^ c) & differ) != 0);
    bool current = (((a ^ me) | (c ^ me)) >> TIME_SHIFT) == 0;
    bool far     = (((a ^ c) & WARP_MASK) != 0) | (((a ^ me) & WARP_MASK) == 0);
    return live | (current & far) | ((a ^ me) >> THREAD_SHIFT == 0);
}

/* n cells in a row, 1 << per of them a lane: no stamp of the plane is alive and another thread's. */
HOT bool run_is_free(const Stamp *s, unsigned n, unsigned per, Stamp me, Stamp dead)
{
    bool free = true;
    for (unsigned i = 0; s && i < n; i++)
        free &= (s[i] < dead) | is_own(s[i], me | (Stamp)(i >> per) << THREAD_SHIFT);
    return free;
}

HOT void run_keep(Stamp *s, unsigned n, unsigned per, Stamp me)
{
    for (unsigned i = 0; i < n; i++)
        s[i] = me | (Stamp)(i >> per) << THREAD_SHIFT;
}

HOT bool run_reads(const Touch *t, Page *p, size_t at, unsigned n, unsigned per, Stamp differ)
{
    static const Stamp nobody[PAGE_BYTES >> WORD_BITS];
    const Stamp       *a = p->plane[PLANE_READ] ? p->plane[PLANE_READ] + at : nobody,
                *c       = p->plane[PLANE_READ2] ? p->plane[PLANE_READ2] + at : nobody;
    bool fresh = true, full = true, second = differ != 0;
    for (unsigned i = 0; i < n; i++) {
        Stamp me = t->me | (Stamp)(i >> per) << THREAD_SHIFT;
        fresh &= (a[i] < t->dead) | is_own(a[i], me);
        full &= is_full(a[i], c[i], me, t->dead, differ);
        second &= (a[i] >= t->dead) & (c[i] < t->dead) & (((a[i] ^ me) & differ) != 0);
    }
    if (fresh)
        run_keep(page_plane(p, PLANE_READ) + at, n, per, t->me);
    else if (!full && second)
        run_keep(page_plane(p, PLANE_READ2) + at, n, per, t->me);
    return fresh | full | second;
}

/* All lanes, each next to the one before.  false: nothing was done. */
HOT bool touch_run(const Touch *t, Page *p, size_t at, unsigned n, unsigned per, Stamp differ)
{
    const Stamp *w = p->plane[PLANE_WRITE], *w2 = p->plane[PLANE_WRITE2];
    if (!run_is_free(w ? w + at : NULL, n, per, t->me, t->dead) ||
        !run_is_free(w2 ? w2 + at : NULL, n, per, t->me, t->dead))
        return false;
    if (!t->writes)
        return run_reads(t, p, at, n, per, differ);
    const Stamp *r = p->plane[PLANE_READ], *r2 = p->plane[PLANE_READ2];
    if (!run_is_free(r ? r + at : NULL, n, per, t->me, t->dead) ||
        !run_is_free(r2 ? r2 + at : NULL, n, per, t->me, t->dead))
        return false;
    run_keep(page_plane(p, PLANE_WRITE) + at, n, per, t->me);
    for (Plane k = PLANE_WRITE2; k < PLANES; k++)
        if (p->plane[k])
            memset(p->plane[k] + at, 0, n * sizeof(Stamp));
    return true;
}

/* Reads of single cells: the lanes of which something is to be told or kept. */
HOT uint32_t news(const Touch *t, const Page *p, uint32_t lanes, const uint32_t *at, Stamp differ)
{
    const Stamp *a = p->plane[PLANE_READ], *c = p->plane[PLANE_READ2], *w = p->plane[PLANE_WRITE];
    uint32_t     known = 0, free = w ? 0 : UINT32_MAX;
    if (!a || !c || p->plane[PLANE_WRITE2])
        return lanes;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t x = at[i] >> WORD_BITS;
        known |= (uint32_t)is_full(a[x], c[x], t->me | (Stamp)i << THREAD_SHIFT, t->dead, differ) << i;
    }
    for (unsigned i = 0; w && i < LANES; i++) {
        uint32_t x = at[i] >> WORD_BITS;
        free |= (uint32_t)((w[x] < t->dead) | is_own(w[x], t->me | (Stamp)i << THREAD_SHIFT)) << i;
    }
    return lanes & ~(known & free);
}

/* Without the lanes that touch the place of both lanes before them. */
HOT uint32_t without_repeats(uint32_t lanes, const uint32_t *at)
{
    uint32_t same = 0;
    for (unsigned i = 1; i < LANES; i++)
        same |= (uint32_t)(at[i] == at[i - 1]) << i;
    return lanes & ~(same & same << 1 & lanes << 1 & lanes << 2);
}

/* The lanes of one page. */
HOT void touch_page(const Touch *t, Page *p, uint32_t lanes, const uint32_t *at)
{
    const RaceRun *r      = t->cells->run;
    unsigned       bytes  = t->a->bytes;
    bool           plain  = !t->strong && !t->async && p->shift == WORD_BITS && bytes >= 1 << WORD_BITS && bytes <= 16;
    Stamp          differ = r->flags ? 0 : t->a->space == ACCESS_SHARED ? SERIAL_MASK | WARP_MASK : SERIAL_MASK;
    if (plain && lanes == UINT32_MAX) {
        bool run = true;
        for (unsigned i = 1; i < LANES; i++)
            run &= at[i] == at[0] + i * bytes;
        unsigned per = (unsigned)__builtin_ctz(bytes) - WORD_BITS;
        if (run && touch_run(t, p, at[0] >> WORD_BITS, LANES << per, per, differ))
            return;
    }
    if (plain && !t->writes && !r->flags && !t->b->warp[t->a->warp].lane)
        lanes = without_repeats(lanes, at);
    if (plain && !t->writes && bytes == 1 << WORD_BITS && (lanes & (lanes - 1)))
        lanes = news(t, p, lanes, at, differ);
    for (; lanes; lanes &= lanes - 1)
        touch_lane(t, p, (unsigned)__builtin_ctz(lanes), at[__builtin_ctz(lanes)]);
}

/* ---- pages ------------------------------------------------------------------------------------------------------------ */

static Page *page_of(Cells *s, uint64_t address)
{
    uint64_t number = address >> PAGE_BITS;
    unsigned k      = (unsigned)number % PAGE_CACHE;
    if (s->number[k] != number || !s->page[k]) {
        s->page[k]   = shadow_page(s->run->race->shadow, address);
        s->number[k] = number;
    }
    return s->page[k];
}

static void split_if_narrow(const Touch *t, Page *p)
{
    if (t->a->bytes < 1 << WORD_BITS && p->shift)
        page_split(p);
}

/* Lanes on other pages get the place 0, so that every entry is one of the page. */
HOT void touch_shared(const Touch *t)
{
    const uint32_t *off = t->a->off;
    for (uint32_t left = t->a->mask; left;) {
        uint32_t here = 0, at[LANES], page = off[__builtin_ctz(left)] >> PAGE_BITS;
        for (unsigned i = 0; i < LANES; i++) {
            bool in = off[i] >> PAGE_BITS == page;
            here |= (uint32_t)in << i;
            at[i] = in ? off[i] & (PAGE_BYTES - 1) : 0;
        }
        here &= left;
        left &= ~here;
        split_if_narrow(t, &t->b->shared[page]);
        touch_page(t, &t->b->shared[page], here, at);
    }
}

HOT void touch_global(const Touch *t)
{
    const uint64_t *addr = t->a->addr;
    for (uint32_t left = t->a->mask; left;) {
        uint64_t first = addr[__builtin_ctz(left)] >> PAGE_BITS;
        uint32_t here  = 0, at[LANES];
        for (unsigned i = 0; i < LANES; i++) {
            bool in = addr[i] >> PAGE_BITS == first;
            here |= (uint32_t)in << i;
            at[i] = in ? (uint32_t)addr[i] & (PAGE_BYTES - 1) : 0;
        }
        here &= left;
        left &= ~here;
        Page *p = page_of(t->cells, first << PAGE_BITS);
        if (t->cells->locks)
            page_lock(p);
        split_if_narrow(t, p);
        touch_page(t, p, here, at);
        if (t->cells->locks)
            page_unlock(p);
    }
}

#define LEVEL(name, attributes)                                                                                        \
    attributes static void name(const Touch *t)                                                                        \
    {                                                                                                                  \
        if (t->a->off)                                                                                                 \
            touch_shared(t);                                                                                           \
        else                                                                                                           \
            touch_global(t);                                                                                           \
    }

LEVEL(touch_plain, )
#if defined(__x86_64__)
LEVEL(touch_avx2, __attribute__((target("arch=x86-64-v3"))))
LEVEL(touch_avx512, __attribute__((target("arch=x86-64-v4"))))
#endif

CellsTouch *cells_touch(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return touch_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        return touch_avx2;
#endif
    return touch_plain;
}
