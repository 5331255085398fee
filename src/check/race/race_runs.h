/* SPDX-License-Identifier: Apache-2.0
 *
 * What warps mostly find in cells that stand side by side, decided for all of them at once: race_cells.c says when.  Compiled into the
 * functions of each SIMD level. */
#ifndef WW_CHECK_RACE_RUNS_H
#define WW_CHECK_RACE_RUNS_H

#include <string.h>

#include "check/race/race_cells.h"

#define HOT static inline __attribute__((always_inline))

HOT bool is_own(Stamp a, Stamp me)
{
    return ((a ^ me) & OWN_MASK) == 0;
}

/* What is nobody's business: stamps of threads before base, of asynchronous operations before dead, and `over` itself, of an operation that
 * the whole warp knows to be complete. */
typedef struct Past {
    Stamp dead, base, over;
} Past;

HOT bool is_past(Stamp s, Past p)
{
    return (s < p.dead) | ((s < p.base) & ((s & KIND_MASK) == 0)) | (s == p.over);
}

/* Stamps side by side: a vector that every level but the portable one has registers for.  Masks are all ones or zero. */
typedef Stamp Four __attribute__((vector_size(32)));

static const Stamp nobody[PAGE_BYTES >> WORD_BITS]; /* of a plane that is not there */

#define FOUR(s)      ((Four){(s), (s), (s), (s)})
#define FOUR_AT(s)   (*(const FourUnaligned *)(const void *)(s))
#define FOUR_ALL(m)  (((m)[0] & (m)[1] & (m)[2] & (m)[3]) != 0)
#define FOUR_PAST(s, p)                                                                                                \
    ((Four)((s) < FOUR((p).dead)) | ((Four)((s) < FOUR((p).base)) & (Four)(((s) & KIND_MASK) == 0)) |                  \
     (Four)((s) == FOUR((p).over)))
#define FOUR_OWN(s, me) ((Four)((((s) ^ (me)) & OWN_MASK) == 0))
typedef Stamp FourUnaligned __attribute__((vector_size(32), aligned(8), may_alias));

/* Stamps of cells [i, i + 4) of a run, 1 << per of them a lane. */
#define FOUR_ME(me, i, per) (FOUR(me) + ((four_lanes[per] + ((i) >> (per))) << THREAD_SHIFT))
static const Four four_lanes[] = {{0, 1, 2, 3}, {0, 0, 1, 1}, {0, 0, 0, 0}};

/* a, c: two readers.  differ: bits that tell blocks apart, or also warps; 0: nothing is enough. */
HOT bool is_full(Stamp a, Stamp c, Stamp me, Past past, Stamp differ)
{
    bool live    = !is_past(a, past) & !is_past(c, past) & (((a ^ c) & differ) != 0);
    bool current = (((a ^ me) | (c ^ me)) >> TIME_SHIFT) == 0;
    bool far     = (((a ^ c) & WARP_MASK) != 0) | (((a ^ me) & WARP_MASK) == 0);
    return live | (current & far) | ((a ^ me) >> THREAD_SHIFT == 0);
}

/* n cells in a row, 1 << per of them a lane: no stamp of the plane is alive and another thread's. */
HOT bool run_is_free(const Stamp *s, unsigned n, unsigned per, Stamp me, Past past)
{
    Four free = FOUR(UINT64_MAX);
    for (unsigned i = 0; s && i < n; i += 4) {
        Four x = FOUR_AT(s + i);
        free &= FOUR_PAST(x, past) | FOUR_OWN(x, FOUR_ME(me, i, per));
    }
    return FOUR_ALL(free);
}

HOT void run_keep(Stamp *s, unsigned n, unsigned per, Stamp me)
{
    for (unsigned i = 0; i < n; i += 4)
        *(FourUnaligned *)(void *)(s + i) = FOUR_ME(me, i, per);
}

HOT Stamp *plane_of(Page *p, Plane which)
{
    return p->plane[which] ? p->plane[which] : page_plane(p, which);
}

/* How reads found their cells. */
typedef enum Found { FOUND_SLOW, FOUND_ROOM, FOUND_FULL } Found;

/* is_full of four cells. */
#define FOUR_FULL(x, y, me, past, differ)                                                                              \
    ((~FOUR_PAST(x, past) & ~FOUR_PAST(y, past) & (Four)((((x) ^ (y)) & (differ)) != 0)) |                             \
     ((Four)(((((x) ^ (me)) | ((y) ^ (me))) >> TIME_SHIFT) == 0) &                                                     \
      ((Four)((((x) ^ (y)) & WARP_MASK) != 0) | (Four)((((x) ^ (me)) & WARP_MASK) == 0))) |                            \
     (Four)((((x) ^ (me)) >> THREAD_SHIFT) == 0))

HOT Found run_reads(Stamp first, Page *p, size_t at, unsigned n, unsigned per, Past past, Stamp differ)
{
    const Stamp *a = p->plane[PLANE_READ] ? p->plane[PLANE_READ] + at : nobody,
                *c = p->plane[PLANE_READ2] ? p->plane[PLANE_READ2] + at : nobody;
    Four fresh = FOUR(UINT64_MAX), full = fresh, second = FOUR(differ ? UINT64_MAX : 0);
    for (unsigned i = 0; i < n; i += 4) {
        Four me = FOUR_ME(first, i, per), x = FOUR_AT(a + i), y = FOUR_AT(c + i), gone = FOUR_PAST(x, past);
        fresh &= gone | FOUR_OWN(x, me);
        full &= FOUR_FULL(x, y, me, past, differ);
        second &= ~gone & FOUR_PAST(y, past) & (Four)(((x ^ me) & differ) != 0);
    }
    bool is_fresh = FOUR_ALL(fresh), is_full = FOUR_ALL(full), is_second = FOUR_ALL(second);
    if (is_fresh)
        run_keep(plane_of(p, PLANE_READ) + at, n, per, first);
    else if (!is_full && is_second)
        run_keep(plane_of(p, PLANE_READ2) + at, n, per, first);
    return is_fresh || (is_second && !is_full) ? FOUND_ROOM : is_full ? FOUND_FULL : FOUND_SLOW;
}

/* The stamp there, if it is of an asynchronous operation that the whole warp knows to be over; else 0. */
HOT Stamp over(const Touch *t, const Stamp *plane, size_t at, bool written)
{
    Stamp s = plane ? plane[at] : 0;
    return s >= t->dead && stamp_async(s) && order_warp_knows(t->b, t->a->warp, s, written) ? s : 0;
}

/* Lanes side by side, each next to the one before; first: the stamp of the first.  SLOW: nothing was done. */
HOT Found touch_run(const Touch *t, Stamp first, Page *p, size_t at, unsigned n, unsigned per, Stamp differ)
{
    const Stamp *w = p->plane[PLANE_WRITE], *w2 = p->plane[PLANE_WRITE2];
    Past         past = {t->dead, t->base, 0}, wrote = {t->dead, t->base, over(t, w, at, true)};
    if (!run_is_free(w ? w + at : NULL, n, per, first, wrote) || !run_is_free(w2 ? w2 + at : NULL, n, per, first, past))
        return FOUND_SLOW;
    if (!t->writes)
        return run_reads(first, p, at, n, per, past, differ);
    const Stamp *r = p->plane[PLANE_READ], *r2 = p->plane[PLANE_READ2];
    Past         read = {t->dead, t->base, over(t, r, at, false)};
    if (!run_is_free(r ? r + at : NULL, n, per, first, read) || !run_is_free(r2 ? r2 + at : NULL, n, per, first, past))
        return FOUND_SLOW;
    run_keep(plane_of(p, PLANE_WRITE) + at, n, per, first);
    for (Plane k = PLANE_WRITE2; k < PLANES; k++)
        if (p->plane[k])
            memset(p->plane[k] + at, 0, n * sizeof(Stamp));
    return FOUND_ROOM;
}

/* Lanes from `lane` on read one place, which nobody alive has touched: the first two of them stand for all.  false: nothing was done. */
HOT bool touch_one(const Touch *t, Page *p, unsigned lane, uint32_t at, unsigned bytes)
{
    const Stamp *w = p->plane[PLANE_WRITE], *w2 = p->plane[PLANE_WRITE2];
    Stamp       *a = plane_of(p, PLANE_READ), *c = plane_of(p, PLANE_READ2);
    size_t       first = at >> WORD_BITS, end = first + (bytes >> WORD_BITS);
    for (size_t i = first; i < end; i++)
        if ((w && w[i] >= t->dead) || (w2 && w2[i] >= t->dead) || a[i] >= t->dead || c[i] >= t->dead)
            return false;
    for (size_t i = first; i < end; i++) {
        a[i] = t->me | (Stamp)lane << THREAD_SHIFT;
        c[i] = t->me | (Stamp)(lane + 1) << THREAD_SHIFT;
    }
    return true;
}

/* The same for each group of lanes side by side that read one place; the lanes that are left.  same: lanes that read what the lane before
 * reads. */
HOT uint32_t touch_groups(const Touch *t, Page *p, uint32_t lanes, uint32_t same, const uint32_t *at, unsigned bytes)
{
    uint32_t behind = same & lanes & lanes << 1, first = lanes & ~behind, left = lanes;
    for (uint32_t m = first & behind >> 1; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        uint32_t next = first & -(m & -m) << 1; /* firsts behind it */
        if (touch_one(t, p, lane, at[lane], bytes))
            left &= ~((next ? next & -next : 0) - (m & -m));
    }
    return left;
}

/* Both halves of the warp read the same 16 words, which lie side by side and nobody alive has written. */
HOT Found touch_twins(const Touch *t, Page *p, size_t at, Stamp differ)
{
    Stamp       *a = plane_of(p, PLANE_READ) + at, *c = plane_of(p, PLANE_READ2) + at;
    const Stamp *w = p->plane[PLANE_WRITE] ? p->plane[PLANE_WRITE] + at : nobody,
                *w2 = p->plane[PLANE_WRITE2] ? p->plane[PLANE_WRITE2] + at : nobody;
    Past         past = {t->dead, t->base, 0};
    Four         fresh = FOUR(UINT64_MAX), full = fresh, second = fresh, me = FOUR(t->me);
    for (unsigned i = 0; i < LANES / 2; i += 4) {
        Four x = FOUR_AT(a + i), y = FOUR_AT(c + i), z = FOUR_AT(w + i), v = FOUR_AT(w2 + i);
        Four free = FOUR_PAST(z, past) & FOUR_PAST(v, past), gone = FOUR_PAST(x, past), room = FOUR_PAST(y, past);
        Four near = (Four)(((x ^ y) & differ) == 0), own = (Four)((((x ^ me) | (y ^ me)) & ~LANE_MASK) >> THREAD_SHIFT == 0);
        fresh &= gone & room & free;
        second &= ~gone & (room | near) & (Four)(((x ^ me) & differ) != 0) & free;
        full &= ((~gone & ~room & ~near) | (own & (Four)((x ^ y) != 0))) & free;
    }
    bool is_fresh = FOUR_ALL(fresh);
    if (FOUR_ALL(full))
        return FOUND_FULL;
    if (!is_fresh && !FOUR_ALL(second))
        return FOUND_SLOW;
    run_keep(c, LANES / 2, 0, t->me + (is_fresh ? (Stamp)(LANES / 2) << THREAD_SHIFT : 0));
    if (is_fresh)
        run_keep(a, LANES / 2, 0, t->me);
    return FOUND_ROOM;
}

HOT bool are_twins(const uint32_t *at)
{
    uint32_t odd = 0;
    for (unsigned i = 0; i < LANES / 2; i++)
        odd |= (at[i] ^ (at[0] + (i << WORD_BITS))) | (at[i] ^ at[i + LANES / 2]);
    return !odd;
}

#endif
