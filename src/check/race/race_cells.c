/* SPDX-License-Identifier: Apache-2.0
 *
 * Cells.  The rules are those of touch_lane, one lane and one cell after the other.  Before it come shortcuts for what warps mostly do,
 * which decide about 32 lanes at once that touch_lane would report nothing and keep the same, or nothing worth keeping:
 *
 *     a run of cells, lane after lane,
 *     or one for half of the warp         fresh: nobody lives there; known: it is full of readers; second: one other reader
 *     any cells of a word, weak reads     known
 *     one cell for lanes side by side,    two lanes stand for all
 *     weak reads
 *     one run of words for both halves    fresh, full, or one other reader
 *
 * A cell is full when its two readers are of different blocks, or (shared memory) different warps, or touched it since anything was
 * ordered and no reader can be farther apart. */
#include "check/race/race_cells.h"
#include "check/race/race_quiet.h"
#include "check/race/race_runs.h"
#include "check/race/race_sweep.h"

#include <string.h>

#include "base/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* ---- one cell --------------------------------------------------------------------------------------------------------- */

/* How far two stamps are apart: 0 one thread, 1 lanes of a warp, 2 threads of a block, 3 blocks (or a block's serials). */
static inline unsigned distance(Stamp a, Stamp b)
{
    Stamp d = a ^ b;
    if (d >> (TIME_SHIFT + TICK_BITS))
        return 3;
    return d >> (THREAD_SHIFT + 5) & 31 ? 2 : (d >> THREAD_SHIFT & 31) != 0;
}

/* A block that lives long has several serials. */
static bool same_block(const Touch *t, Stamp a, Stamp b)
{
    const Serials *s = t->b->serials;
    return distance(a, b) < 3 || serials_info(s, stamp_serial(a))->birth == serials_info(s, stamp_serial(b))->birth;
}

/* Both atomic, at scopes that hold the other thread.  Reads that carry data are no less atomic than others. */
static inline bool atomic_pair(const Touch *t, Stamp a, Stamp b, bool a_writes, bool b_writes)
{
    Strength x = stamp_strength(a), y = stamp_strength(b);
    x = x == STRENGTH_VOLATILE && !a_writes ? STRENGTH_GPU : x;
    y = y == STRENGTH_VOLATILE && !b_writes ? STRENGTH_GPU : y;
    return (x == STRENGTH_GPU && y == STRENGTH_GPU) || (x & 1 && y & 1 && same_block(t, a, b));
}

/* What a flag was seen to say orders atomic accesses and volatile reads without a fence: nothing moves them before it. */
static inline bool before(const Touch *t, Stamp me, Stamp other, bool written)
{
    uint32_t      launch = cells_launch(t->cells, t->b, other);
    const Handed *h      = &t->cells->run->handed;
    if (launch != t->b->launch && h->at && launch == h->launch) {
        bool same = serials_info(t->b->serials, stamp_serial(other))->birth == h->birth;
        if (same ? stamp_time(other) > h->at : !h->flags)
            return false;
    }
    if (launch != t->b->launch)
        return works_before(t->cells->run->race->works, t->cells->run, launch, t->b, stamp_thread(me),
                            !stamp_strength(me) && !stamp_strength(other));
    bool loose = stamp_strength(other) && stamp_strength(me) && (stamp_strength(me) != STRENGTH_VOLATILE || !t->writes);
    return order_before(t->b, stamp_thread(me), other, t->cells->run->floor, loose, written);
}

/* May the stamp matter to anybody? */
static inline bool alive(const Touch *t, Stamp s)
{
    return s >= t->base || (s >= t->dead && stamp_async(s));
}

/* Has the thread read the cell since it was written?  Then its own write comes behind that write. */
static bool has_read(const Page *p, size_t i, Stamp me)
{
    return (p->plane[PLANE_READ] && distance(p->plane[PLANE_READ][i], me) == 0) ||
           (p->plane[PLANE_READ2] && distance(p->plane[PLANE_READ2][i], me) == 0);
}

/* Behind the last read-modify-write of a place come all the atomic writes to it: they are in one order. */
static bool behind_atomics(const Touch *t, Stamp me, Stamp other)
{
    const Access *a    = t->a;
    unsigned      lane = stamp_thread(me) % LANES;
    Stamp last = order_last(a->off ? &t->b->objects : &t->cells->run->objects, a->off ? a->off[lane] : a->addr[lane]);
    return last && !stamp_strength(me) && stamp_strength(other) &&
           cells_launch(t->cells, t->b, other) == t->b->launch &&
           (distance(me, last) == 0 || before(t, me, last, true));
}

/* A volatile read that only carries data, and a volatile write of another warp, where they go by flags, locks or counters: one of those
 * should have ordered the two. */
static bool is_payload(const Touch *t, Stamp me, Stamp other, bool other_writes)
{
    Stamp read = t->writes ? other : me, write = t->writes ? me : other;
    return t->writes != other_writes && t->b->met && stamp_strength(read) == STRENGTH_VOLATILE &&
           distance(me, other) > 1 && race_is_volatile(t->cells->run, write);
}

static inline bool clashes(const Touch *t, const Page *p, size_t i, Plane k, Stamp me)
{
    Stamp other = p->plane[k][i];
    bool  wrote = k <= PLANE_WRITE2;
    if (!alive(t, other))
        return false;
    if (distance(me, other) == 0 && !stamp_async(other))
        return false;
    if ((atomic_pair(t, me, other, t->writes, wrote) && !is_payload(t, me, other, wrote)) ||
        before(t, me, other, wrote))
        return false;
    if (t->cells->run->flags && wrote && behind_atomics(t, me, other))
        return false;
    if (t->writes && stamp_strength(me) == STRENGTH_VOLATILE && stamp_strength(other) && wrote && has_read(p, i, me))
        return !order_before(t->b, stamp_thread(me), other, t->cells->run->floor, true, true);
    return true;
}

/* Keeps me beside first and second. */
static void keep(const Touch *t, Page *p, Plane plane, size_t i, Stamp me)
{
    Stamp   *first = &page_plane(p, plane)[i], a = *first;
    unsigned apart   = distance(a, me);
    bool     written = plane == PLANE_WRITE;
    if (!alive(t, a) || (apart == 0 && !stamp_async(a))) {
        if (!alive(t, a) || stamp_strength(a) || !t->strong)
            *first = me;
        return;
    }
    const Stamp *second = p->plane[plane + 1];
    Stamp        c      = second ? second[i] : 0;
    bool         full   = alive(t, c) && distance(a, c) >= apart;
    if (full && t->cells->run->open) /* readers of two launches are farther apart than those of one */
        full = cells_launch(t->cells, t->b, a) != cells_launch(t->cells, t->b, c) ||
               cells_launch(t->cells, t->b, a) == cells_launch(t->cells, t->b, me);
    if (full && !t->cells->run->flags && !t->cells->run->open &&
        (apart == 3 || (apart == 2 && t->a->space == ACCESS_SHARED)))
        return;
    if (before(t, me, a, written))
        *first = me;
    else if (!full || before(t, me, c, written))
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
    unsigned cells = access_bytes(t->a, lane) >> p->shift;
    bool     told  = false;
    uint64_t where = t->a->off ? t->a->off[lane] : t->a->addr[lane];
    for (size_t i = at >> p->shift, end = i + (cells ? cells : 1); i < end; i++) {
        Plane k = find_clash(t, p, i, me);
        if (k != PLANES && !told) {
            RaceClash c = {.access       = t->a,
                           .lane         = lane,
                           .thread       = stamp_thread(me),
                           .me           = me,
                           .other        = p->plane[k][i],
                           .writes       = t->writes,
                           .other_writes = k <= PLANE_WRITE2,
                           .payload      = is_payload(t, me, p->plane[k][i], k <= PLANE_WRITE2),
                           .at           = where,
                           .owner        = t->owner};
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

/* What is done for all lanes by vector instructions, or by loops. */
typedef struct Ways {
    /* The lanes whose place lies on the page; at: where in it, 0 for the others. */
    uint32_t (*pick32)(const uint32_t *off, uint32_t page, uint32_t *at);
    uint32_t (*pick64)(const uint64_t *addr, uint64_t page, uint32_t *at);
    /* Is each place `bytes` behind the one before?  *same: lanes that have the place of the lane before. */
    bool (*line_up)(const uint32_t *at, uint32_t bytes, uint32_t *same);
    /* Reads of single cells: the lanes of which nothing is to be told or kept.  w may be NULL. */
    uint32_t (*known)(const Stamp *a, const Stamp *c, const Stamp *w, const uint32_t *at, Stamp me, Past past,
                      Stamp differ);
} Ways;

HOT uint32_t pick32(const uint32_t *off, uint32_t page, uint32_t *at)
{
    uint32_t here = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool in = off[i] >> PAGE_BITS == page;
        here |= (uint32_t)in << i;
        at[i] = in ? off[i] & (PAGE_BYTES - 1) : 0;
    }
    return here;
}

HOT uint32_t pick64(const uint64_t *addr, uint64_t page, uint32_t *at)
{
    uint32_t here = 0;
    for (unsigned i = 0; i < LANES; i++) {
        bool in = addr[i] >> PAGE_BITS == page;
        here |= (uint32_t)in << i;
        at[i] = in ? (uint32_t)addr[i] & (PAGE_BYTES - 1) : 0;
    }
    return here;
}

HOT bool line_up(const uint32_t *at, uint32_t bytes, uint32_t *same)
{
    bool run = true;
    *same    = 0;
    for (unsigned i = 1; i < LANES; i++) {
        run &= at[i] == at[0] + i * bytes;
        *same |= (uint32_t)(at[i] == at[i - 1]) << i;
    }
    return run;
}

HOT uint32_t known(const Stamp *a, const Stamp *c, const Stamp *w, const uint32_t *at, Stamp me, Past past,
                   Stamp differ)
{
    uint32_t lanes = 0;
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t x    = at[i] >> WORD_BITS;
        Stamp    mine = me | (Stamp)i << THREAD_SHIFT;
        bool     free = !w || is_past(w[x], past) || is_own(w[x], mine);
        lanes |= (uint32_t)(free && is_full(a[x], c[x], mine, past, differ)) << i;
    }
    return lanes;
}

static const Ways plain_ways = {pick32, pick64, line_up, known};

#if defined(__x86_64__)
#define V4 __attribute__((target("arch=x86-64-v4")))

V4 static inline uint32_t pick32_v4(const uint32_t *off, uint32_t page, uint32_t *at)
{
    uint32_t here = 0;
    __m512i  p = _mm512_set1_epi32((int)page), low = _mm512_set1_epi32(PAGE_BYTES - 1);
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        __m512i   x  = _mm512_loadu_si512(off + 16 * i);
        __mmask16 in = _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(x, PAGE_BITS), p);
        _mm512_storeu_si512(at + 16 * i, _mm512_maskz_and_epi32(in, x, low));
        here |= (uint32_t)in << 16 * i;
    }
    return here;
}

V4 static inline uint32_t pick64_v4(const uint64_t *addr, uint64_t page, uint32_t *at)
{
    uint32_t here = 0;
    __m512i  p = _mm512_set1_epi64((long long)page), low = _mm512_set1_epi64(PAGE_BYTES - 1);
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        __m512i  x  = _mm512_loadu_si512(addr + 8 * i);
        __mmask8 in = _mm512_cmpeq_epi64_mask(_mm512_srli_epi64(x, PAGE_BITS), p);
        _mm256_storeu_si256((__m256i *)(void *)(at + 8 * i), _mm512_cvtepi64_epi32(_mm512_maskz_and_epi64(in, x, low)));
        here |= (uint32_t)in << 8 * i;
    }
    return here;
}

V4 static inline bool line_up_v4(const uint32_t *at, uint32_t bytes, uint32_t *same)
{
    const __m512i count = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i       lo = _mm512_loadu_si512(at), hi = _mm512_loadu_si512(at + 16), zero = _mm512_setzero_si512();
    __m512i       step  = _mm512_mullo_epi32(count, _mm512_set1_epi32((int)bytes));
    __m512i       first = _mm512_add_epi32(step, _mm512_set1_epi32((int)at[0])),
            last        = _mm512_add_epi32(first, _mm512_set1_epi32((int)(16 * bytes)));
    uint32_t same_lo    = _mm512_cmpeq_epi32_mask(lo, _mm512_alignr_epi32(lo, zero, 15)),
             same_hi    = _mm512_cmpeq_epi32_mask(hi, _mm512_alignr_epi32(hi, lo, 15));
    *same               = (same_lo & ~1u) | same_hi << 16;
    return _mm512_cmpeq_epi32_mask(lo, first) == 0xffff && _mm512_cmpeq_epi32_mask(hi, last) == 0xffff;
}

typedef struct Past8 {
    __m512i dead, base, over;
} Past8;

V4 static inline uint32_t past_8(__m512i s, Past8 p)
{
    const __m512i kind = _mm512_set1_epi64(KIND_MASK);
    return _mm512_cmplt_epu64_mask(s, p.dead) |
           (uint32_t)(_mm512_cmplt_epu64_mask(s, p.base) & _mm512_testn_epi64_mask(s, kind)) |
           _mm512_cmpeq_epi64_mask(s, p.over);
}

/* is_full, and w free, of 8 lanes. */
V4 static inline uint32_t known_8(__m512i a, __m512i c, __m512i w, __m512i me, Past8 p, __m512i differ)
{
    const __m512i warp = _mm512_set1_epi64((long long)WARP_MASK), own = _mm512_set1_epi64((long long)OWN_MASK);
    __m512i       ac = _mm512_xor_si512(a, c), am = _mm512_xor_si512(a, me), cm = _mm512_xor_si512(c, me);
    uint32_t      live = ~(past_8(a, p) | past_8(c, p)) & _mm512_test_epi64_mask(ac, differ);
    __m512i  none = _mm512_srli_epi64(_mm512_or_si512(am, cm), TIME_SHIFT), time = _mm512_srli_epi64(am, THREAD_SHIFT);
    uint32_t current = _mm512_testn_epi64_mask(none, none),
             far     = _mm512_test_epi64_mask(ac, warp) | _mm512_testn_epi64_mask(am, warp),
             moment  = _mm512_testn_epi64_mask(time, time),
             free    = past_8(w, p) | _mm512_testn_epi64_mask(_mm512_xor_si512(w, me), own);
    return (live | (current & far) | moment) & free;
}

V4 static inline uint32_t known_v4(const Stamp *a, const Stamp *c, const Stamp *w, const uint32_t *at, Stamp me,
                                   Past past, Stamp differ)
{
    const __m512i eight = _mm512_set1_epi64(INT64_C(8) << THREAD_SHIFT), f = _mm512_set1_epi64((long long)differ);
    const Past8   p8    = {_mm512_set1_epi64((long long)past.dead), _mm512_set1_epi64((long long)past.base),
                           _mm512_set1_epi64((long long)past.over)};
    __m512i       mine  = _mm512_or_si512(_mm512_set1_epi64((long long)me),
                                          _mm512_slli_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7), THREAD_SHIFT));
    uint32_t      lanes = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        __m256i x = _mm256_srli_epi32(_mm256_loadu_si256((const __m256i *)(const void *)(at + 8 * i)), WORD_BITS);
        __m512i p = _mm512_i32gather_epi64(x, a, 8), q = _mm512_i32gather_epi64(x, c, 8);
        __m512i r = w ? _mm512_i32gather_epi64(x, w, 8) : _mm512_setzero_si512();
        lanes |= known_8(p, q, r, mine, p8, f) << 8 * i;
        mine = _mm512_add_epi64(mine, eight);
    }
    return lanes;
}

static const Ways v4_ways = {pick32_v4, pick64_v4, line_up_v4, known_v4};
#endif

/* Halves of the warp whose lanes stand side by side; the lanes that are left. */
HOT uint32_t touch_halves(const Touch *t, Page *p, uint32_t lanes, const uint32_t *at, Stamp differ, uint64_t rows)
{
    const uint32_t half = UINT32_MAX >> LANES / 2;
    unsigned       per  = (unsigned)__builtin_ctz(t->a->bytes) - WORD_BITS;
    for (unsigned first = 0; first < LANES; first += LANES / 2) {
        uint32_t odd = 0;
        for (unsigned i = 0; i < LANES / 2; i++)
            odd |= at[first + i] ^ (at[first] + i * t->a->bytes);
        if (odd || (~lanes >> first & half))
            continue;
        Found found = touch_run(t, t->me | (Stamp)first << THREAD_SHIFT, p, at[first] >> WORD_BITS, LANES / 2 << per,
                                per, differ);
        if (found == FOUND_FULL && rows)
            quiet_try(p, t->base, rows, differ);
        lanes &= found == FOUND_SLOW ? UINT32_MAX : ~(half << first);
    }
    return lanes;
}

/* Others may know that rows of global memory are quiet. */
HOT void end_quiet(const Touch *t, Page *p)
{
    if (p->quiet && !t->a->off)
        launch_stir(t->cells->run->info);
    p->quiet = 0;
}

/* The lanes of one page. */
HOT void touch_page(const Touch *t, Page *p, uint32_t lanes, const uint32_t *at, const Ways *ways)
{
    const RaceRun *r     = t->cells->run;
    unsigned       bytes = t->a->bytes;
    uint32_t       same  = 0;
    bool plain = !t->strong && !t->a->take && !stamp_async(t->me) && p->shift == WORD_BITS && bytes >= 1 << WORD_BITS &&
                 bytes <= 16;
    Stamp    differ = r->flags || r->open ? 0 : t->a->space == ACCESS_SHARED ? SERIAL_MASK | WARP_MASK : SERIAL_MASK;
    bool     quiets = plain && !t->writes && differ && t->dead == t->base;
    uint64_t rows   = quiets ? quiet_rows(at, lanes) : 0;
    if (quiets && quiet_has(p, t->base, rows))
        return;
    if (!plain || t->writes)
        end_quiet(t, p);
    if (plain && ways->line_up(at, bytes, &same) && lanes == UINT32_MAX) {
        unsigned per   = (unsigned)__builtin_ctz(bytes) - WORD_BITS;
        Found    found = touch_run(t, t->me, p, at[0] >> WORD_BITS, LANES << per, per, differ);
        if (found == FOUND_FULL && quiets)
            quiet_try(p, t->base, rows, differ);
        if (found != FOUND_SLOW)
            return;
    }
    if (quiets && !t->b->warp[t->a->warp].lane) {
        if (lanes == UINT32_MAX && bytes == 1 << WORD_BITS && !same && are_twins(at)) {
            Found found = touch_twins(t, p, at[0] >> WORD_BITS, differ);
            if (found == FOUND_FULL)
                quiet_try(p, t->base, rows, differ);
            if (found != FOUND_SLOW)
                return;
        }
        lanes = touch_groups(t, p, lanes, same, at, bytes);
        if (!lanes)
            return;
    }
    if (plain)
        lanes = touch_halves(t, p, lanes, at, differ, rows);
    if (plain && !t->writes) {
        const Stamp *a = p->plane[PLANE_READ], *c = p->plane[PLANE_READ2];
        if (!r->flags && !t->b->warp[t->a->warp].lane) /* two lanes stand for all that read one place */
            lanes &= ~(same & same << 1 & lanes << 1 & lanes << 2);
        if (bytes == 1 << WORD_BITS && (lanes & (lanes - 1)) && a && c && !p->plane[PLANE_WRITE2])
            lanes &= ~ways->known(
                a, c, p->plane[PLANE_WRITE], at, t->me,
                (Past){t->dead, t->base, over(t, p->plane[PLANE_WRITE], at[__builtin_ctz(lanes)] >> WORD_BITS, true)},
                differ);
    }
    if (!lanes && quiets)
        quiet_try(p, t->base, rows, differ);
    for (; lanes; lanes &= lanes - 1)
        touch_lane(t, p, (unsigned)__builtin_ctz(lanes), at[__builtin_ctz(lanes)]);
}

/* ---- pages ------------------------------------------------------------------------------------------------------------ */

Page *cells_page(Cells *s, uint64_t address)
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
    if (t->a->bytes >= 1 << WORD_BITS || !p->shift)
        return;
    end_quiet(t, p);
    page_split(p);
}

HOT void touch_shared(const Touch *t, const Ways *ways)
{
    const uint32_t *off = t->a->off;
    for (uint32_t left = t->a->mask; left;) {
        uint32_t at[LANES], page = off[__builtin_ctz(left)] >> PAGE_BITS, here = ways->pick32(off, page, at) & left;
        left &= ~here;
        split_if_narrow(t, &t->pages[page]);
        page_is_newer(&t->pages[page], t->me);
        touch_page(t, &t->pages[page], here, at, ways);
    }
}

HOT void touch_global(const Touch *t, const Ways *ways)
{
    const uint64_t *addr = t->a->addr;
    for (uint32_t left = t->a->mask; left;) {
        uint64_t first = addr[__builtin_ctz(left)] >> PAGE_BITS;
        uint32_t at[LANES], here = ways->pick64(addr, first, at) & left;
        left &= ~here;
        Page *p = cells_page(t->cells, first << PAGE_BITS);
        if (t->cells->locks)
            page_lock(p);
        split_if_narrow(t, p);
        page_is_newer(p, t->me);
        touch_page(t, p, here, at, ways);
        if (t->cells->locks)
            page_unlock(p);
    }
}

bool cells_quiet(const Touch *t, const Page *p, uint32_t at, uint32_t bytes)
{
    return t->dead == t->base && p->shift == WORD_BITS && quiet_has(p, t->base, rows_between(at, at + bytes - 1));
}

/* A weak read in shared memory of a shape that is known.  false: the usual way must look at it, whatever was kept here. */
HOT bool sweep_read(const Touch *t, const SweepCall *c, const SweepAccess *x, const SweptAccess *k)
{
    uint32_t at = (uint32_t)c->at[x->party], low = at + x->low, high = at + x->high - 1;
    Page    *p = &t->pages[low >> PAGE_BITS];
    if (k->shape == SHAPE_OTHER || low >> PAGE_BITS != high >> PAGE_BITS || p->shift != WORD_BITS)
        return false;
    low &= PAGE_BYTES - 1;
    uint64_t rows = rows_between(low, high & (PAGE_BYTES - 1));
    Found    found;
    if (quiet_has(p, t->base, rows))
        return true;
    if (k->shape == SHAPE_GROUPS) {
        bool all = true;
        for (unsigned g = 0; g < k->groups; g++)
            all &= touch_one(t, p, k->first[g], (at + x->lane[k->first[g]]) & (PAGE_BYTES - 1), x->seen->bytes);
        return all;
    }
    if (k->shape == SHAPE_TWINS)
        found = touch_twins(t, p, low >> WORD_BITS, SERIAL_MASK | WARP_MASK);
    else
        found = touch_run(t, t->me, p, low >> WORD_BITS, LANES, 0, SERIAL_MASK | WARP_MASK);
    if (found == FOUND_FULL)
        quiet_try(p, t->base, rows, SERIAL_MASK | WARP_MASK);
    return found != FOUND_SLOW;
}

/* Does another party of the sweep reach into what this one reads? */
HOT bool is_shared_with(const SweepCall *c, uint32_t party)
{
    uint64_t at = c->at[party], end = at + c->of->party[party].bytes;
    bool     met = false;
    for (uint32_t k = 0; k < c->of->nparties; k++)
        met |= k != party && c->of->party[k].space == ACCESS_SHARED && c->at[k] < end &&
               at < c->at[k] + c->of->party[k].bytes;
    return met;
}

/* Has nobody alive touched a byte of what the party reads? */
HOT bool party_is_fresh(const Touch *t, const SweepCall *c, uint32_t party)
{
    uint64_t at = c->at[party], end = at + c->of->party[party].bytes - 1;
    Page    *p    = &t->pages[at >> PAGE_BITS];
    Past     past = {t->dead, t->base, 0};
    Four     free = FOUR(UINT64_MAX);
    if (at >> PAGE_BITS != end >> PAGE_BITS || p->shift != WORD_BITS || is_shared_with(c, party))
        return false;
    size_t first = (at & (PAGE_BYTES - 1)) >> WORD_BITS & ~(size_t)3, last = (end & (PAGE_BYTES - 1)) >> WORD_BITS;
    for (Plane k = 0; k < PLANES; k++)
        for (size_t i = first; p->plane[k] && i <= last; i += 4) {
            Four x = FOUR_AT(p->plane[k] + i);
            free &= FOUR_PAST(x, past);
        }
    return FOUR_ALL(free);
}

/* As touch_one for each group, where nobody alive has touched the cells.  false: an access before it in the sweep has split them. */
HOT bool groups_keep(const Touch *t, const SweepCall *c, const SweepAccess *x, const SweptAccess *k)
{
    uint32_t at = (uint32_t)c->at[x->party];
    Page    *p  = &t->pages[at >> PAGE_BITS];
    if (p->shift != WORD_BITS)
        return false;
    Stamp *a = plane_of(p, PLANE_READ), *b = plane_of(p, PLANE_READ2);
    for (unsigned g = 0; g < k->groups; g++) {
        size_t i = ((at + x->lane[k->first[g]]) & (PAGE_BYTES - 1)) >> WORD_BITS;
        a[i]     = t->me | (Stamp)k->first[g] << THREAD_SHIFT;
        b[i]     = t->me | (Stamp)(k->first[g] + 1u) << THREAD_SHIFT;
    }
    return true;
}

HOT void sweep(const Touch t[2], const SweepCall *c, const Swept *s, uint32_t skip, const Ways *ways)
{
    SweepRoom room;
    Access    a      = {.warp = c->warp};
    Touch     one[2] = {t[0], t[1]};
    Stamp     me     = t[0].me;
    bool      shapes = t[1].dead == t[1].base && !t[1].b->warp[c->warp].lane;
    uint32_t  fresh  = 0;
    one[0].a = one[1].a = &a;
    for (uint32_t m = shapes ? s->apart & ~skip : 0; m; m &= m - 1)
        fresh |= party_is_fresh(&t[1], c, (uint32_t)__builtin_ctz(m)) ? m & -m : 0;
    for (uint32_t i = 0; i < c->of->naccesses; i++) {
        const SweepAccess *x      = &c->of->access[i];
        bool               shared = c->of->party[x->party].space == ACCESS_SHARED;
        if (skip >> x->party & 1)
            continue;
        one[shared].me     = me | (Stamp)s->access[i].site << SITE_SHIFT;
        one[shared].writes = x->seen->op == ACCESS_ST;
        if ((fresh >> x->party & 1) && groups_keep(&one[1], c, x, &s->access[i]))
            continue;
        if (shared && shapes && sweep_read(&one[1], c, x, &s->access[i]))
            continue;
        if (s->access[i].nwords && words_touch(&one[0], c, x, s->word + s->access[i].word, s->access[i].nwords))
            continue;
        a = sweep_access(c, i, &room);
        if (shared)
            touch_shared(&one[1], ways);
        else
            touch_global(&one[0], ways);
    }
}

#define LEVEL(name, attributes, ways)                                                                                  \
    attributes static void touch_##name(const Touch *t)                                                                \
    {                                                                                                                  \
        if (t->a->off)                                                                                                 \
            touch_shared(t, ways);                                                                                     \
        else                                                                                                           \
            touch_global(t, ways);                                                                                     \
    }                                                                                                                  \
    attributes static void sweep_##name(const Touch t[2], const SweepCall *c, const Swept *s, uint32_t skip)           \
    {                                                                                                                  \
        sweep(t, c, s, skip, ways);                                                                                    \
    }

LEVEL(plain, , &plain_ways)
#if defined(__x86_64__)
LEVEL(avx2, __attribute__((target("arch=x86-64-v3"))), &plain_ways)
LEVEL(avx512, V4, &v4_ways)
#endif

/* The last write in the lane's cells that this launch made before the read; 0: none. */
static Stamp written_before(const Touch *t, const Page *p, unsigned lane)
{
    Stamp  me    = t->me | (Stamp)lane << THREAD_SHIFT;
    size_t i     = (t->a->addr[lane] & (PAGE_BYTES - 1)) >> p->shift;
    size_t cells = access_bytes(t->a, lane) >> p->shift;
    for (size_t end = i + (cells ? cells : 1); i < end; i++) {
        Stamp w = p->plane[PLANE_WRITE][i];
        if (alive(t, w) && cells_launch(t->cells, t->b, w) == t->b->launch &&
            (distance(me, w) == 0 || before(t, me, w, true)))
            return w;
    }
    return 0;
}

void cells_read_only(const Touch *t)
{
    const Access *a = t->a;
    for (uint32_t m = a->mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Page    *p    = cells_page(t->cells, a->addr[lane]);
        Stamp    w    = 0;
        if (!p->plane[PLANE_WRITE]) /* mostly */
            continue;
        if (t->cells->locks)
            page_lock(p);
        w = written_before(t, p, lane);
        if (t->cells->locks)
            page_unlock(p);
        if (w)
            race_report_read_only(t->cells->run, &t->cells->found, t->b, a, lane, t->me | (Stamp)lane << THREAD_SHIFT,
                                  w);
    }
}

CellsSweep *cells_sweep(void)
{
#if defined(__x86_64__)
    if (simd_best() == SIMD_AVX512)
        return sweep_avx512;
    if (simd_best() == SIMD_AVX2)
        return sweep_avx2;
#endif
    return sweep_plain;
}

CellsTouch *cells_touch(void)
{
#if defined(__x86_64__)
    if (simd_best() == SIMD_AVX512)
        return touch_avx512;
    if (simd_best() == SIMD_AVX2)
        return touch_avx2;
#endif
    return touch_plain;
}
