/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of written.h.  A page turns from ALL_BAD to a Page by compare-and-swap; it goes back to ALL_GOOD only by the host's writes, so
 * that a worker never sees a page go away. */
#include "check/init/written.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static Page all_good, all_bad; /* their addresses are what counts; never written */

enum { WORDS = WRITTEN_PAGE / 64 };

static size_t above(const Written *s, uint64_t address)
{
    size_t lo = 0, hi = s->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (s->region[mid]->base <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void page_free(Page *p)
{
    if (p == &all_good || p == &all_bad)
        return;
    free(p->copied);
    free(p);
}

static void region_free(Region *r)
{
    for (uint64_t i = 0; i < r->pages; i++)
        page_free(r->page[i]);
    free(r->page);
    free(r->cleared);
    free(r);
}

void written_free(Written *s)
{
    for (size_t i = 0; i < s->n; i++)
        region_free(s->region[i]);
    free(s->region);
    for (Widths *w = s->widths, *next; w; w = next) {
        next = w->next;
        free(w);
    }
    *s = (Written){0};
}

void written_alloc(Written *s, uint64_t base, uint64_t bytes)
{
    Region *r = xcalloc(1, sizeof *r);
    *r        = (Region){.base = base, .bytes = bytes, .pages = (bytes + WRITTEN_PAGE - 1) / WRITTEN_PAGE};
    r->left   = r->pages;
    r->widths = written_widths(s);
    r->page   = xcalloc(r->pages + 1, sizeof *r->page);
    for (uint64_t i = 0; i < r->pages; i++)
        r->page[i] = &all_bad;
    if (s->n == s->cap) {
        s->cap    = s->cap ? s->cap * 2 : 64;
        s->region = xrealloc(s->region, s->cap * sizeof *s->region);
    }
    size_t i = above(s, base);
    memmove(s->region + i + 1, s->region + i, (s->n - i) * sizeof *s->region);
    s->region[i] = r;
    s->n++;
}

void written_release(Written *s, uint64_t base)
{
    size_t i = above(s, base);
    if (!i || s->region[i - 1]->base != base)
        return;
    region_free(s->region[i - 1]);
    memmove(s->region + i - 1, s->region + i, (s->n - i) * sizeof *s->region);
    s->n--;
}

Region *written_find(const Written *s, uint64_t address)
{
    size_t i = above(s, address);
    return i && address - s->region[i - 1]->base < s->region[i - 1]->bytes ? s->region[i - 1] : NULL;
}

/* ---- words ---- */

static Page *page_of(const Region *r, uint64_t offset)
{
    return __atomic_load_n(&r->page[offset / WRITTEN_PAGE], __ATOMIC_ACQUIRE);
}

/* A page of its own for what was ALL_GOOD or ALL_BAD. */
static Page *own_page(Region *r, uint64_t offset)
{
    Page **at = &r->page[offset / WRITTEN_PAGE], *p = page_of(r, offset);
    if (p != &all_good && p != &all_bad)
        return p;
    Page *mine = xcalloc(1, sizeof *mine);
    memset(mine->bad, p == &all_bad ? 0xff : 0, sizeof mine->bad);
    if (__atomic_compare_exchange_n(at, &p, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (p == &all_good)
            __atomic_fetch_add(&r->left, 1, __ATOMIC_RELAXED);
        return mine;
    }
    free(mine);
    return p;
}

/* Bits [first, last] of a word. */
static uint64_t bits(unsigned first, unsigned last)
{
    return (UINT64_MAX >> (63 - last)) & (UINT64_MAX << first);
}

typedef struct Piece { /* of a range: part of one word of one page */
    uint64_t offset, mask;
    unsigned word, bytes;
} Piece;

static Piece piece_at(const Region *r, uint64_t address, uint64_t n)
{
    uint64_t offset = address - r->base;
    unsigned bit = offset % 64, last = bit + n - 1 > 63 ? 63 : (unsigned)(bit + n - 1);
    return (Piece){offset, bits(bit, last), (unsigned)(offset % WRITTEN_PAGE / 64), last - bit + 1};
}

/* n cut to what lies in the region: accesses may reach into an allocation's last granule. */
static uint64_t within(const Region *r, uint64_t address, uint64_t n)
{
    uint64_t room = r->base + r->bytes - address;
    return n < room ? n : room;
}

bool written_good(const Region *r, uint64_t address, uint64_t n)
{
    if (__atomic_load_n(&r->left, __ATOMIC_RELAXED) == 0)
        return true;
    for (n = within(r, address, n); n;) {
        Piece       k = piece_at(r, address, n);
        const Page *p = page_of(r, k.offset);
        if (p == &all_bad || (p != &all_good && (__atomic_load_n(&p->bad[k.word], __ATOMIC_RELAXED) & k.mask)))
            return false;
        uint64_t skip = p == &all_good ? WRITTEN_PAGE - k.offset % WRITTEN_PAGE : k.bytes;
        skip          = skip < n ? skip : n;
        address += skip;
        n -= skip;
    }
    return true;
}

uint32_t written_read(const Region *r, uint64_t address, unsigned n, uint32_t *origin)
{
    uint32_t found = 0;
    unsigned done = 0, all = (unsigned)within(r, address, n);
    *origin = 0;
    while (done < all) {
        Piece       k   = piece_at(r, address + done, all - done);
        const Page *p   = page_of(r, k.offset);
        uint64_t    bad = p == &all_good  ? 0
                          : p == &all_bad ? k.mask
                                          : __atomic_load_n(&p->bad[k.word], __ATOMIC_RELAXED) & k.mask;
        found |= (uint32_t)(bad >> k.offset % 64) << done;
        if (bad && p != &all_bad && !*origin) {
            const uint32_t *copied = __atomic_load_n(&p->copied, __ATOMIC_ACQUIRE);
            uint64_t        first  = k.offset % WRITTEN_PAGE / 64 * 64 + (unsigned)__builtin_ctzll(bad);
            *origin                = copied ? copied[first / 4] : 0;
        }
        done += k.bytes;
    }
    return found;
}

bool written_bad_row(const Region *r, uint64_t address, unsigned n, uint32_t *origin)
{
    if (within(r, address, n) < n)
        return false;
    for (unsigned done = 0; done < n;) {
        Piece           k      = piece_at(r, address + done, n - done);
        const Page     *p      = page_of(r, k.offset);
        const uint32_t *copied = p == &all_bad ? NULL : __atomic_load_n(&p->copied, __ATOMIC_ACQUIRE);
        if (p == &all_good || (p != &all_bad && (~__atomic_load_n(&p->bad[k.word], __ATOMIC_RELAXED) & k.mask)))
            return false;
        if (!done)
            *origin = copied ? copied[k.offset % WRITTEN_PAGE / 4] : 0;
        for (unsigned i = 0; i < k.bytes; i += 4)
            if ((copied ? copied[(k.offset + i) % WRITTEN_PAGE / 4] : 0) != *origin)
                return false;
        done += k.bytes;
    }
    return true;
}

/* A host's write of a whole page; workers are at rest. */
static void whole_page(Region *r, uint64_t offset)
{
    Page **at = &r->page[offset / WRITTEN_PAGE];
    if (*at == &all_good)
        return;
    page_free(*at);
    *at = &all_good;
    r->left--;
}

void written_write(Region *r, uint64_t address, uint64_t n)
{
    for (n = within(r, address, n); n;) {
        Piece    k    = piece_at(r, address, n);
        Page    *p    = page_of(r, k.offset);
        uint64_t room = WRITTEN_PAGE - k.offset % WRITTEN_PAGE, end = r->bytes - k.offset;
        uint64_t step = k.bytes;
        if (p == &all_good) {
            step = room < n ? room : n;
        } else if (k.offset % WRITTEN_PAGE == 0 && n >= (room < end ? room : end) && n > 4096) {
            whole_page(r, k.offset); /* only the host writes so much at once */
            step = room < n ? room : n;
        } else {
            p             = own_page(r, k.offset);
            uint64_t word = __atomic_load_n(&p->bad[k.word], __ATOMIC_RELAXED);
            if (word & k.mask)
                __atomic_fetch_and(&p->bad[k.word], ~k.mask, __ATOMIC_RELAXED);
        }
        address += step;
        n -= step;
    }
}

static bool is_clean(const Page *p)
{
    uint64_t any = 0;
    for (size_t i = 0; i < sizeof p->bad / sizeof *p->bad; i++)
        any |= p->bad[i];
    return !any;
}

void written_by_host(Region *r, uint64_t address, uint64_t n)
{
    n = within(r, address, n);
    written_write(r, address, n);
    uint64_t end = address + n - r->base;
    if (n && (end == r->bytes || end % WRITTEN_PAGE == 0)) { /* the usual order: from the beginning to the end */
        const Page *p = r->page[(end - 1) / WRITTEN_PAGE];
        if (p != &all_good && p != &all_bad && is_clean(p))
            whole_page(r, end - 1);
    }
}

static uint32_t *copies_of(Page *p)
{
    uint32_t *c = __atomic_load_n(&p->copied, __ATOMIC_ACQUIRE);
    if (c)
        return c;
    uint32_t *mine = xcalloc(WRITTEN_PAGE / 4, sizeof *mine);
    if (__atomic_compare_exchange_n(&p->copied, &c, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return mine;
    free(mine);
    return c;
}

void written_copy_in(Region *r, uint64_t address, unsigned n, uint32_t bad, uint32_t origin)
{
    unsigned all = (unsigned)within(r, address, n);
    for (unsigned done = 0; done < all;) {
        Piece     k    = piece_at(r, address + done, all - done);
        Page     *p    = own_page(r, k.offset);
        uint64_t *word = &p->bad[k.word], these = (uint64_t)(bad >> done) << k.offset % 64 & k.mask;
        uint32_t *copied = these ? copies_of(p) : NULL;
        if (these & ~__atomic_load_n(word, __ATOMIC_RELAXED))
            __atomic_fetch_or(word, these, __ATOMIC_RELAXED);
        if (k.mask & ~these & __atomic_load_n(word, __ATOMIC_RELAXED))
            __atomic_fetch_and(word, ~(k.mask & ~these), __ATOMIC_RELAXED);
        for (; these; these &= these - 1)
            __atomic_store_n(
                &copied[(k.offset % WRITTEN_PAGE & ~UINT64_C(63)) / 4 + (unsigned)__builtin_ctzll(these) / 4], origin,
                __ATOMIC_RELAXED);
        done += k.bytes;
    }
}

void written_copy_row(Region *r, uint64_t address, unsigned n, uint32_t origin)
{
    for (unsigned done = 0; done < n;) {
        Piece     k      = piece_at(r, address + done, n - done);
        Page     *p      = own_page(r, k.offset);
        uint32_t *copied = copies_of(p);
        if (k.mask & ~__atomic_load_n(&p->bad[k.word], __ATOMIC_RELAXED))
            __atomic_fetch_or(&p->bad[k.word], k.mask, __ATOMIC_RELAXED);
        for (unsigned i = 0; i < k.bytes; i += 4)
            __atomic_store_n(&copied[(k.offset + i) % WRITTEN_PAGE / 4], origin, __ATOMIC_RELAXED);
        done += k.bytes;
    }
}

void written_forget(Region *r, uint64_t address, uint64_t n)
{
    for (n = within(r, address, n); n;) {
        Piece     k      = piece_at(r, address, n);
        Page     *p      = own_page(r, k.offset);
        uint32_t *copied = __atomic_load_n(&p->copied, __ATOMIC_ACQUIRE);
        __atomic_fetch_or(&p->bad[k.word], k.mask, __ATOMIC_RELAXED);
        for (unsigned i = 0; copied && i < k.bytes; i++)
            __atomic_store_n(&copied[(k.offset + i) % WRITTEN_PAGE / 4], 0, __ATOMIC_RELAXED);
        address += k.bytes;
        n -= k.bytes;
    }
}

void written_copy(const Written *s, uint64_t to, uint64_t from, uint64_t n)
{
    Region       *d   = written_find(s, to);
    const Region *src = written_find(s, from);
    if (!d)
        return;
    if (!src || written_good(src, from, n)) {
        written_write(d, to, n);
        return;
    }
    for (uint64_t i = 0; i < n; i += 4) {
        unsigned part = n - i < 4 ? (unsigned)(n - i) : 4;
        uint32_t origin, bad = written_read(src, from + i, part, &origin);
        if (bad)
            written_copy_in(d, to + i, part, bad, origin);
        else
            written_write(d, to + i, part);
    }
}

/* Of the byte at bit `bit` of a piece's word. */
static uint32_t origin_at(const Page *p, const Piece *k, unsigned bit)
{
    return p->copied ? p->copied[(k->word * 64 + bit) / 4] : 0;
}

/* Takes the piece's bytes into the hole as far as they belong to it; false: it has ended. */
static bool extend(const Region *r, const Piece *k, uint64_t address, Hole *h)
{
    const Page *p     = page_of(r, k->offset);
    unsigned    first = (unsigned)(k->offset % 64), bit = first;
    for (; bit < first + k->bytes; bit++) {
        bool     bad    = p == &all_bad || (p != &all_good && (p->bad[k->word] >> bit & 1));
        uint32_t origin = bad && p != &all_bad ? origin_at(p, k, bit) : 0;
        if (!h->bytes && bad)
            *h = (Hole){address + bit - first, 0, origin};
        if (h->bytes && (!bad || origin != h->origin))
            return false;
        h->bytes += bad;
    }
    return true;
}

bool written_hole(const Region *r, uint64_t address, uint64_t n, Hole *h)
{
    *h = (Hole){0};
    if (__atomic_load_n(&r->left, __ATOMIC_RELAXED) == 0)
        return false;
    for (n = within(r, address, n); n;) {
        Piece       k    = piece_at(r, address, n);
        const Page *p    = page_of(r, k.offset);
        uint64_t    room = WRITTEN_PAGE - k.offset % WRITTEN_PAGE, step = k.bytes;
        if (p == &all_good && h->bytes)
            return true;
        if (p == &all_good) {
            step = room;
        } else if (p == &all_bad && (!h->bytes || !h->origin)) { /* all of the page at once */
            step = room < n ? room : n;
            *h   = h->bytes ? *h : (Hole){address, 0, 0};
            h->bytes += step;
        } else if (!extend(r, &k, address, h)) {
            return true;
        }
        step = step < n ? step : n;
        address += step;
        n -= step;
    }
    return h->bytes != 0;
}

Widths *written_widths(Written *s)
{
    Widths *w        = xcalloc(1, sizeof *w);
    w->next          = s->widths;
    return s->widths = w;
}
