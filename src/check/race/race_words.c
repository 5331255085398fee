/* SPDX-License-Identifier: Apache-2.0
 *
 * Weak reads of words in global memory that a Sweep tells of, a word at a time instead of a lane: which words each access reads, and which two
 * lanes of them come first, is known from the start.  What is decided here is what touch_lane (race_cells.c) would decide, for what words
 * mostly hold:
 *
 *     first reader    second reader      kept
 *     nobody          nobody             the first lane, and the second
 *     another block   nobody, or one     the first lane as the second reader
 *                     of the same block
 *     another block   a third block      nothing
 *     another warp    nobody, or one     the first lane as the second reader
 *                     of the same warp
 *     another warp    a third warp, or   nothing
 *                     another block
 *
 * Everything else (somebody has written, or the warp itself has read) is left to the usual way, for the whole access: of its page nothing is
 * kept here, because what the usual way does with a word may depend on those beside it; on other pages it finds what was kept and leaves it
 * as it is.  Not where anything but barriers of the block orders its threads. */
#include "check/race/race_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/race/race_quiet.h"

enum { WORDS_MOST = LANES * (16 >> WORD_BITS) };

#define SERIAL(s)  ((s) >> (TIME_SHIFT + TICK_BITS))
#define WARP_OF(s) ((s) >> (THREAD_SHIFT + 5) & 31)

static int by_place(const void *a, const void *b)
{
    const SweptWord *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->first > y->first) - (x->first < y->first);
}

uint32_t words_find(SweptWord *word, const SweepAccess *x)
{
    uint32_t n = 0, k = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        for (unsigned i = 0; i < x->seen->bytes; i += 1 << WORD_BITS)
            word[n++] = (SweptWord){x->lane[lane] + i, (uint8_t)lane, (uint8_t)lane};
    qsort(word, n, sizeof *word, by_place);
    for (uint32_t i = 1; i < n; i++) {
        if (word[i].at != word[k].at)
            word[++k] = word[i];
        else if (word[k].second == word[k].first)
            word[k].second = word[i].first;
    }
    return n ? k + 1 : 0;
}

/* Do only barriers of the block order its threads, and has it had one serial only? */
static bool is_plain(const RaceBlock *b, uint32_t warp)
{
    return !b->know && !b->thread && !b->warp[warp].know && !b->warp[warp].lane && b->now >> TICK_BITS == b->birth;
}

/* What is done with a word.  NEAR: nothing, because it is full of the block's own readers; OTHER: the usual way must look at it. */
typedef enum Kept { KEPT_FIRST, KEPT_SECOND, KEPT_NEAR, KEPT_FULL, KEPT_OTHER } Kept;

typedef struct Cell {
    Page  *p;
    size_t i;
    Stamp  base, block_base;
} Cell;

/* The second reader.  Its plane is there once a page needs it, and no sooner: touch_page asks for it. */
static inline Stamp second(Cell k)
{
    return k.p->plane[PLANE_READ2] ? k.p->plane[PLANE_READ2][k.i] : 0;
}

/* The first reader, a, is alive. */
static inline Kept look_beside(Cell k, Stamp a, Stamp c, Stamp me)
{
    bool others = SERIAL(a) != SERIAL(me), room = c < k.base;
    if (!others && (a < k.block_base || WARP_OF(a) == WARP_OF(me)))
        return KEPT_OTHER;
    if (!room && SERIAL(c) != SERIAL(a))
        return KEPT_FULL;
    if (!room && !others && WARP_OF(c) != WARP_OF(a))
        return c < k.block_base || WARP_OF(c) == WARP_OF(me) ? KEPT_OTHER : KEPT_NEAR;
    return KEPT_SECOND;
}

static inline Kept look_at_word(Cell k, Stamp me)
{
    Stamp a = k.p->plane[PLANE_READ][k.i], c = second(k);
    if ((a | c) & KIND_MASK)
        return KEPT_OTHER;
    return a >= k.base ? look_beside(k, a, c, me) : c >= k.base ? KEPT_OTHER : KEPT_FIRST;
}

static inline void keep_word(Cell k, Stamp me, const SweptWord *x, Kept kept)
{
    Stamp first = me | (Stamp)x->first << THREAD_SHIFT;
    if (kept == KEPT_FIRST)
        k.p->plane[PLANE_READ][k.i] = first;
    if (kept == KEPT_FIRST && x->second != x->first)
        page_plane(k.p, PLANE_READ2)[k.i] = me | (Stamp)x->second << THREAD_SHIFT;
    if (kept == KEPT_SECOND)
        page_plane(k.p, PLANE_READ2)[k.i] = first;
}

/* Words of one page.  false: they are left to the usual way, and none was kept. */
static bool touch_words(const Touch *t, Page *p, uint64_t at, const SweptWord *word, uint32_t n)
{
    const Stamp *w = p->plane[PLANE_WRITE], *w2 = p->plane[PLANE_WRITE2];
    Cell         k    = {.p = p, .base = t->base, .block_base = t->b->base << TIME_SHIFT};
    uint64_t     full = 0, rows = 0;
    uint8_t      kept[WORDS_MOST];
    if (p->shift != WORD_BITS)
        return false;
    page_plane(p, PLANE_READ);
    page_is_newer(p, t->me);
    for (uint32_t i = 0; i < n; i++) {
        k.i = ((uint32_t)(at + word[i].at) & (PAGE_BYTES - 1)) >> WORD_BITS;
        if ((w && w[k.i] >= t->base) || (w2 && w2[k.i] >= t->base))
            return false;
        kept[i] = (uint8_t)look_at_word(k, t->me);
        if (kept[i] == KEPT_OTHER)
            return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t in  = (uint32_t)(at + word[i].at) & (PAGE_BYTES - 1);
        uint64_t row = UINT64_C(1) << (in >> ROW_BITS);
        k.i          = in >> WORD_BITS;
        keep_word(k, t->me, &word[i], (Kept)kept[i]);
        full |= kept[i] == KEPT_FULL ? row : 0;
        rows |= kept[i] == KEPT_FULL ? 0 : row;
    }
    if (full & ~rows)
        quiet_try(p, t->base, full & ~rows, SERIAL_MASK);
    return true;
}

bool words_touch(const Touch *t, const SweepCall *c, const SweepAccess *x, const SweptWord *word, uint32_t n)
{
    uint64_t at   = c->at[x->party];
    bool     good = n && !(at & ((1 << WORD_BITS) - 1)) && t->dead == t->base && is_plain(t->b, c->warp);
    for (uint32_t i = 0, end; good && i < n; i = end) {
        uint64_t number = (at + word[i].at) >> PAGE_BITS;
        Page    *p      = cells_page(t->cells, at + word[i].at);
        for (end = i + 1; end < n && (at + word[end].at) >> PAGE_BITS == number;)
            end++;
        if (t->cells->locks)
            page_lock(p);
        good = touch_words(t, p, at, word + i, end - i);
        if (t->cells->locks)
            page_unlock(p);
    }
    return good;
}
