/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocation in the reserved range: first fit in address order, in whole granules, a gap behind each, pages returned to the host when
 * freed.  Live allocations are a sorted array, so a lookup is a binary search and a launch can read it without locks (nothing is allocated
 * from the host side while a launch runs).  One that is freed stays in the array as an entry without a span, which a new one may take; when
 * there are many they are swept out together.  Memory.full is how far the range is filled without a gap, so that many allocations after each other
 * look at none of those before.  The device-side heap is one allocation with its own table and lock. */
#include "emu/memory/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"

enum {
    GRANULE    = MEMORY_GRANULE,
    GAP        = GRANULE,
    FREED_KEPT = 256,
    GONE_KEPT  = 64,
    LARGE      = 4 << 20
};                         /* GAP: what runs past an end is in no allocation */
#ifdef __SANITIZE_THREAD__ /* leaves programs the top of the address space only */
static const uint64_t PREFERRED_BASE = UINT64_C(0x7e9000000000);
#else
static const uint64_t PREFERRED_BASE = UINT64_C(0x200000000000);
#endif

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0
#endif

Status memory_open(Memory *m, uint64_t bytes)
{
    *m         = (Memory){0};
    int   prot = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    void *p = mmap((void *)(uintptr_t)PREFERRED_BASE, bytes, prot, flags | MAP_FIXED_NOREPLACE, -1, 0);
    if (p == MAP_FAILED)
        p = mmap(NULL, bytes, prot, flags, -1, 0);
    if (p == MAP_FAILED)
        return WW_ERR_NO_MEMORY;
    m->base            = (uint64_t)(uintptr_t)p;
    m->full            = m->base;
    m->size            = bytes;
    m->freed.list      = xcalloc(FREED_KEPT, sizeof(Alloc));
    m->heap_freed.list = xcalloc(FREED_KEPT, sizeof(Alloc));
    pthread_mutex_init(&m->heap_lock, NULL);
    return WW_OK;
}

void memory_close(Memory *m)
{
    if (!m->base)
        return;
    munmap((void *)(uintptr_t)m->base, m->size);
    free(m->live);
    free(m->window);
    free(m->reserved);
    free(m->freed.list);
    free(m->heap);
    free(m->heap_freed.list);
    pthread_mutex_destroy(&m->heap_lock);
    *m = (Memory){0};
}

/* Index of the first entry whose base is above the address. */
static size_t upper_bound(const Alloc *v, size_t n, uint64_t address)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (v[mid].base <= address)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool is_gone(const Alloc *a)
{
    return a->span == 0;
}

/* The last one that begins at the address or below it; NULL: none. */
static Alloc *at_or_below(Alloc *v, size_t n, uint64_t address)
{
    size_t i = upper_bound(v, n, address);
    while (i && is_gone(&v[i - 1]))
        i--;
    return i ? &v[i - 1] : NULL;
}

/* The first one that begins above the address; NULL: none. */
static Alloc *next_above(Alloc *v, size_t n, uint64_t address)
{
    size_t i = upper_bound(v, n, address);
    while (i < n && is_gone(&v[i]))
        i++;
    return i < n ? &v[i] : NULL;
}

static Alloc *containing(Alloc *v, size_t n, uint64_t address)
{
    Alloc *a = at_or_below(v, n, address);
    return a && address - a->base < a->bytes ? a : NULL;
}

static void insert_sorted(Alloc **v, size_t *n, size_t *cap, Alloc a)
{
    if (*n == *cap) {
        *cap = *cap ? *cap * 2 : 64;
        *v   = xrealloc(*v, *cap * sizeof **v);
    }
    size_t i = upper_bound(*v, *n, a.base);
    memmove(*v + i + 1, *v + i, (*n - i) * sizeof **v);
    (*v)[i] = a;
    ++*n;
}

/* Into the array of live allocations; in the place of one that is gone where that is beside. */
static void insert_live(Memory *m, Alloc a)
{
    size_t i = upper_bound(m->live, m->nlive, a.base);
    if (i && is_gone(&m->live[i - 1]))
        i--;
    if (i < m->nlive && is_gone(&m->live[i])) {
        m->live[i] = a;
        m->ngone--;
    } else {
        insert_sorted(&m->live, &m->nlive, &m->cap, a);
    }
}

static void sweep(Memory *m)
{
    size_t kept = 0;
    for (size_t i = 0; i < m->nlive; i++)
        if (!is_gone(&m->live[i]))
            m->live[kept++] = m->live[i];
    m->nlive = kept;
    m->ngone = 0;
}

static void remove_live(Memory *m, Alloc *a)
{
    a->bytes = a->span = 0;
    m->ngone++;
    if (m->ngone > GONE_KEPT && m->ngone > m->nlive / 2)
        sweep(m);
}

/* First gap of `span` bytes in [from, to) between the sorted allocations; 0 if there is none. */
static uint64_t first_fit(const Alloc *v, size_t n, uint64_t from, uint64_t to, uint64_t span, uint64_t align)
{
    uint64_t at    = (from + align - 1) & -align;
    size_t   first = upper_bound(v, n, from);
    while (first && is_gone(&v[first - 1]))
        first--;
    for (size_t i = first ? first - 1 : 0; i <= n; i++) {
        if (i < n && is_gone(&v[i]))
            continue;
        uint64_t limit = i < n && v[i].base < to ? v[i].base : to; /* adopted ranges may lie on either side */
        if (at <= limit && limit - at >= span)
            return at;
        if (i < n && v[i].base + v[i].span > at)
            at = (v[i].base + v[i].span + align - 1) & -align;
    }
    return 0;
}

/* Ranges that are in use again are freed memory no longer. */
static void forget_freed(Freed *f, uint64_t base, uint64_t span)
{
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++)
        if (f->list[i].base >= base + span || base >= f->list[i].base + f->list[i].span)
            f->list[kept++] = f->list[i];
    f->n = kept;
}

static void remember_freed(Freed *f, Alloc a)
{
    if (f->n == FREED_KEPT)
        memmove(f->list, f->list + 1, --f->n * sizeof *f->list);
    f->list[f->n++] = a;
}

static const Alloc *find_freed(const Freed *f, uint64_t address)
{
    for (size_t i = f->n; i--;)
        if (address - f->list[i].base < f->list[i].span)
            return &f->list[i];
    return NULL;
}

/* Something lies at Memory.full now. */
static void fill_up(Memory *m)
{
    for (size_t i = upper_bound(m->live, m->nlive, m->full) - 1; i < m->nlive; i++)
        if (!is_gone(&m->live[i])) {
            if (m->live[i].base != m->full)
                break;
            m->full += m->live[i].span;
        }
}

/* A large allocation's pages are made of huge ones of the host's, one fault for each 2 MiB that a kernel is the first to touch.  Not of one that would
 * take much of the host's memory if it were touched here and there. */
static void use_huge_pages(uint64_t at, uint64_t bytes)
{
#ifdef MADV_HUGEPAGE
    if (bytes < LARGE) /* most: nothing is asked of the system */
        return;
    uint64_t from = (at + MEMORY_PAGE - 1) & -MEMORY_PAGE, to = (at + bytes) & -MEMORY_PAGE;
    uint64_t host = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    if (bytes <= host / 8 && to > from)
        (void)madvise((void *)(uintptr_t)from, to - from, MADV_HUGEPAGE); /* one that has none goes on without */
#endif
}

Status memory_alloc(Memory *m, uint64_t bytes, uint64_t align, AllocKind kind, const char *name, uint64_t *out)
{
    *out = 0;
    if (align < GRANULE)
        align = GRANULE;
    if (bytes > m->size)
        return WW_ERR_NO_MEMORY;
    uint64_t span = ((bytes + GRANULE - 1) & -(uint64_t)GRANULE) + GAP;
    uint64_t end = m->base + m->size, at = 0;
    if (m->apart && m->top)
        at = first_fit(m->live, m->nlive, m->top, end, span, align);
    if (!at)
        at = first_fit(m->live, m->nlive, m->full, end, span, align);
    if (!at)
        return WW_ERR_NO_MEMORY;
    insert_live(m, (Alloc){at, bytes, span, kind, ++m->serial, name, 0});
    if (at == m->full)
        fill_up(m);
    forget_freed(&m->freed, at, span);
    m->used += span;
    if (at + span > m->top)
        m->top = at + span;
    use_huge_pages(at, bytes);
    *out = at;
    return WW_OK;
}

Status memory_adopt(Memory *m, uint64_t address, uint64_t bytes)
{
    const Alloc *below = at_or_below(m->live, m->nlive, address), *above = next_above(m->live, m->nlive, address);
    bool         meets = (below && address - below->base < below->span) || (above && above->base - address < bytes) ||
                 (address < m->base + m->size && m->base < address + bytes);
    if (!bytes || address + bytes < address || meets)
        return WW_ERR_INVALID;
    insert_live(m, (Alloc){address, bytes, bytes, ALLOC_FOREIGN, ++m->serial, NULL, 0});
    forget_freed(&m->freed, address, bytes);
    return WW_OK;
}

/* Whole pages inside the range go back to the host, and read as zero where it took them; true: all of [*from, *to), which are they, do. */
static bool release_pages(uint64_t base, uint64_t span, uint64_t *from, uint64_t *to)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    *from         = (base + page - 1) & -page;
    *to           = (base + span) & -page;
    if (*to <= *from)
        *to = *from = base;
    void *at = (void *)(uintptr_t)*from;
    return *to == *from || madvise(at, *to - *from, MADV_REMOVE) == 0 /* works where another process shares it */ ||
           madvise(at, *to - *from, MADV_DONTNEED) == 0;
}

void memory_zero(uint64_t address, uint64_t bytes)
{
    uint64_t from, to;
    if (!release_pages(address, bytes, &from, &to))
        to = from = address;
    memset((void *)(uintptr_t)address, 0, from - address);
    memset((void *)(uintptr_t)to, 0, address + bytes - to);
}

/* Whole pages: memset for those that there are; those that there are not stay away (what was swapped out goes). */
static void clear_pages(uint8_t *at, uint64_t pages, uint64_t page, const unsigned char *there)
{
    for (uint64_t i = 0, n; i < pages; i += n) {
        for (n = 1; i + n < pages && (there[i + n] & 1) == (there[i] & 1);)
            n++;
        if (there[i] & 1)
            memset(at + i * page, 0, n * page);
        else
            memory_zero((uint64_t)(uintptr_t)(at + i * page), n * page);
    }
}

void memory_clear(uint64_t address, uint64_t bytes)
{
    unsigned char there[4096];
    uint64_t      page = (uint64_t)sysconf(_SC_PAGESIZE), from = (address + page - 1) & -page,
             to = (address + bytes) & -page;
    if (to <= from)
        to = from = address + bytes;
    memset((void *)(uintptr_t)address, 0, from - address);
    for (uint64_t pages; from < to; from += pages * page) {
        void *at = (void *)(uintptr_t)from;
        pages    = (to - from) / page;
        pages    = pages < sizeof there ? pages : sizeof there;
        if (mincore(at, pages * page, there) != 0)
            memset(there, 1, sizeof there);
        clear_pages(at, pages, page, there);
    }
    memset((void *)(uintptr_t)to, 0, address + bytes - to);
}

Status memory_free(Memory *m, uint64_t address)
{
    Alloc *at = at_or_below(m->live, m->nlive, address);
    if (!at || at->base != address)
        return WW_ERR_INVALID;
    memory_rest(m, address, false);
    Alloc a = *at;
    remove_live(m, at);
    remember_freed(&m->freed, a);
    if (a.kind == ALLOC_FOREIGN)
        return WW_OK;
    if (a.base < m->full)
        m->full = a.base;
    m->used -= a.span;
    uint64_t from, to;
    release_pages(a.base, a.span, &from, &to); /* the next owner finds zeros or old bytes, as on a card */
    return WW_OK;
}

void memory_rest(Memory *m, uint64_t address, bool rests)
{
    Alloc *a = at_or_below(m->live, m->nlive, address);
    if (!a || a->base != address || rests == (a->resting != 0))
        return;
    if (rests) {
        Alloc was   = *a;
        was.resting = a->resting = a->bytes;
        a->bytes                 = 0;
        remember_freed(&m->freed, was);
        return;
    }
    a->bytes   = a->resting;
    a->resting = 0;
    forget_freed(&m->freed, a->base, a->span);
}

void memory_name(Memory *m, uint64_t address, const char *name)
{
    Alloc *a = at_or_below(m->live, m->nlive, address);
    if (a && a->base == address)
        a->name = name;
}

void memory_window_add(Memory *m, MulticastWindow window)
{
    m->window                = xrealloc(m->window, (m->nwindows + 1) * sizeof *m->window);
    m->window[m->nwindows++] = window;
}

void memory_window_drop(Memory *m, uint64_t address)
{
    for (size_t i = 0; i < m->nwindows; i++)
        if (m->window[i].base == address)
            m->window[i--] = m->window[--m->nwindows];
}

bool memory_of_host(uint64_t address)
{
    enum { PAGE = 4096 };
    unsigned char there;
    return mincore((void *)(uintptr_t)(address & -(uint64_t)PAGE), 1, &there) == 0;
}

void memory_reserve(Memory *m, uint64_t address, uint64_t bytes, bool mapped)
{
    m->reserved                 = xrealloc(m->reserved, (m->nreserved + 1) * sizeof *m->reserved);
    m->reserved[m->nreserved++] = (Reserved){address, bytes, mapped};
}

void memory_unreserve(Memory *m, uint64_t address, uint64_t bytes)
{
    size_t n = 0;
    for (size_t i = 0; i < m->nreserved; i++)
        if (m->reserved[i].base - address >= bytes)
            m->reserved[n++] = m->reserved[i];
    m->nreserved = n;
}

const Reserved *memory_reserved(const Memory *m, uint64_t address)
{
    const Reserved *found = NULL;
    for (size_t i = 0; i < m->nreserved; i++)
        if (address - m->reserved[i].base < m->reserved[i].bytes)
            found = &m->reserved[i];
    return found;
}

const MulticastWindow *memory_window(const Memory *m, uint64_t address)
{
    for (size_t i = 0; i < m->nwindows; i++)
        if (address - m->window[i].base < m->window[i].bytes)
            return &m->window[i];
    return NULL;
}

const Alloc *memory_find(Memory *m, uint64_t address, Alloc *tmp)
{
    Alloc *a = containing(m->live, m->nlive, address);
    if (!a || a->kind != ALLOC_HEAP)
        return a;
    pthread_mutex_lock(&m->heap_lock);
    Alloc *h = containing(m->heap, m->nheap, address);
    if (h)
        *tmp = *h;
    pthread_mutex_unlock(&m->heap_lock);
    return h ? tmp : NULL;
}

/* Memory whose neighbourhood a card lets a kernel reach, too. */
static bool has_surroundings(const Alloc *a)
{
    return !is_gone(a) && !a->resting && (a->kind == ALLOC_USER || a->kind == ALLOC_GLOBAL_VAR);
}

const Alloc *memory_find_granule(Memory *m, uint64_t address, uint64_t bytes)
{
    const Alloc *a  = at_or_below(m->live, m->nlive, address);
    bool         in = a && has_surroundings(a) && address + bytes <= a->base + a->span - GAP;
    return in && address + bytes > a->base + a->bytes ? a : NULL;
}

bool memory_is_paged(Memory *m, uint64_t address, uint64_t bytes)
{
    uint64_t from = address & -MEMORY_PAGE, to = from + MEMORY_PAGE;
    size_t   i    = upper_bound(m->live, m->nlive, address);
    bool     live = false;
    if (address + bytes > to || memory_was_freed(m, address))
        return false;
    for (size_t j = i; j-- && !live && (is_gone(&m->live[j]) || m->live[j].base + m->live[j].bytes > from);)
        live = has_surroundings(&m->live[j]);
    for (size_t j = i; j < m->nlive && !live && m->live[j].base < to; j++)
        live = has_surroundings(&m->live[j]);
    return live;
}

bool memory_was_freed(Memory *m, uint64_t address)
{
    pthread_mutex_lock(&m->heap_lock);
    bool freed = find_freed(&m->freed, address) || find_freed(&m->heap_freed, address);
    pthread_mutex_unlock(&m->heap_lock);
    return freed;
}

void memory_forget_names(Memory *m)
{
    for (size_t i = 0; i < m->freed.n; i++)
        m->freed.list[i].name = NULL;
}

static void describe(const Alloc *a, char *out, size_t cap)
{
    static const char *const kinds[] = {"allocation", "variable",   "constant", "the kernel's parameters",
                                        "heap block", "host memory"};
    if (a->name)
        snprintf(out, cap, "%s '%s' (%" PRIu64 " bytes)", kinds[a->kind], a->name, a->bytes);
    else if (a->kind == ALLOC_PARAM)
        snprintf(out, cap, "%s (%" PRIu64 " bytes)", kinds[a->kind], a->bytes);
    else
        snprintf(out, cap, "%s %" PRIu64 " (%" PRIu64 " bytes)", kinds[a->kind], a->serial, a->bytes);
}

enum { FAR_BITS = 40 }; /* nobody counted on a neighbour that is so far away */

static const Alloc *nearest(Alloc *v, size_t n, uint64_t address)
{
    const Alloc *below = at_or_below(v, n, address), *above = next_above(v, n, address);
    uint64_t     past   = !below                                 ? UINT64_MAX
                          : address - below->base < below->bytes ? 0
                                                                 : address - below->base - below->bytes;
    uint64_t     before = above ? above->base - address : UINT64_MAX;
    return (past < before ? past : before) >> FAR_BITS ? NULL : past <= before ? below : above;
}

bool memory_nearest(Memory *m, uint64_t address, uint64_t *base, uint64_t *bytes)
{
    const Alloc *a    = find_freed(&m->freed, address);
    const Alloc *live = containing(m->live, m->nlive, address);
    if (a && address - a->base >= a->bytes)
        a = NULL;
    pthread_mutex_lock(&m->heap_lock);
    if (!a)
        a = live && live->kind == ALLOC_HEAP ? nearest(m->heap, m->nheap, address)
                                             : nearest(m->live, m->nlive, address);
    if (a) {
        *base  = a->base;
        *bytes = a->bytes;
    }
    pthread_mutex_unlock(&m->heap_lock);
    return a != NULL;
}

/* Where an address lies among sorted allocations that do not hold all of [address, address + bytes). */
static void explain_among(Alloc *v, size_t n, uint64_t address, uint64_t bytes, char *out, size_t cap)
{
    static const uint64_t FAR = UINT64_C(1) << FAR_BITS;
    char                  what[200];
    const Alloc          *below = at_or_below(v, n, address), *above = next_above(v, n, address);
    uint64_t              past   = below ? address - below->base - below->bytes : UINT64_MAX; /* wraps while inside */
    uint64_t              before = above ? above->base - address : UINT64_MAX;
    if (below && address - below->base < below->bytes) {
        describe(below, what, sizeof what);
        snprintf(out, cap, "the last %" PRIu64 " of its %" PRIu64 " bytes are past the end of %s",
                 address + bytes - (below->base + below->bytes), bytes, what);
    } else if ((below || above) && past > FAR && before > FAR) {
        snprintf(out, cap, "nowhere near any allocation (an address of the host?)");
    } else if (below && past <= before) {
        describe(below, what, sizeof what);
        snprintf(out, cap, "%" PRIu64 " bytes past the end of %s", past, what);
    } else if (above) {
        describe(above, what, sizeof what);
        snprintf(out, cap, "%" PRIu64 " bytes before %s", before, what);
    } else {
        snprintf(out, cap, "the device has no allocations");
    }
}

static bool explain_freed(const Freed *f, uint64_t address, char *out, size_t cap)
{
    char         what[200];
    const Alloc *a = find_freed(f, address);
    if (!a || address - a->base >= a->bytes)
        return false;
    describe(a, what, sizeof what);
    snprintf(out, cap, "%" PRIu64 " bytes into %s, which %s", address - a->base, what,
             a->resting                 ? "a graph allocates, and which is free at the moment"
             : a->kind == ALLOC_FOREIGN ? "was unmapped or unregistered"
                                        : "was freed");
    return true;
}

/* Of addresses that were reserved. */
static bool explain_reserved(Memory *m, uint64_t address, char *out, size_t cap)
{
    const Reserved *r = memory_reserved(m, address);
    const Alloc    *a = at_or_below(m->live, m->nlive, address);
    if (!r)
        return false;
    if (r->mapped)
        snprintf(out, cap,
                 "%" PRIu64 " bytes into a mapping of %" PRIu64
                 " bytes to which cuMemSetAccess gave this device no access",
                 address - r->base, r->bytes);
    else if (a && a->base >= r->base)
        snprintf(out, cap,
                 "%" PRIu64 " bytes past the end of the %" PRIu64
                 " bytes that are mapped for this device in an address range of %" PRIu64 " bytes",
                 address - a->base - a->bytes, a->bytes, r->bytes);
    else
        snprintf(out, cap, "%" PRIu64 " bytes into an address range of %" PRIu64 " bytes, where nothing is mapped",
                 address - r->base, r->bytes);
    return true;
}

void memory_explain(Memory *m, uint64_t address, uint64_t bytes, char *out, size_t cap)
{
    if (memory_window(m, address)) {
        snprintf(out, cap, "at an address of a multicast object, which only multimem instructions reach");
        return;
    }
    Alloc tmp;
    if (explain_freed(&m->freed, address, out, cap))
        return;
    if (!memory_find(m, address, &tmp) && explain_reserved(m, address, out, cap))
        return;
    const Alloc *a = containing(m->live, m->nlive, address);
    if (!a || a->kind != ALLOC_HEAP) {
        explain_among(m->live, m->nlive, address, bytes, out, cap);
        return;
    }
    pthread_mutex_lock(&m->heap_lock);
    bool freed = explain_freed(&m->heap_freed, address, out, cap);
    if (!freed && m->nheap)
        explain_among(m->heap, m->nheap, address, bytes, out, cap);
    else if (!freed)
        snprintf(out, cap, "in the device-side heap, which has no blocks");
    pthread_mutex_unlock(&m->heap_lock);
}

uint64_t memory_heap_alloc(Memory *m, uint64_t bytes)
{
    uint64_t span = ((bytes + 15) & ~UINT64_C(15)) + 16, at = 0; /* 16 bytes of gap behind each block */
    pthread_mutex_lock(&m->heap_lock);
    uint64_t end = m->heap_base + m->heap_bytes;
    bool     can = m->heap_base && bytes <= m->heap_bytes; /* rounding cannot wrap */
    if (can && m->apart && m->heap_next)
        at = first_fit(m->heap, m->nheap, m->heap_next, end, span, 16);
    if (can && !at)
        at = first_fit(m->heap, m->nheap, m->heap_base, end, span, 16);
    if (at) {
        insert_sorted(&m->heap, &m->nheap, &m->heap_cap,
                      (Alloc){at, bytes, span, ALLOC_HEAP, ++m->heap_serial, NULL, 0});
        forget_freed(&m->heap_freed, at, span);
        m->heap_next = at + span;
    }
    pthread_mutex_unlock(&m->heap_lock);
    return at;
}

bool memory_heap_free(Memory *m, uint64_t address)
{
    pthread_mutex_lock(&m->heap_lock);
    size_t i  = upper_bound(m->heap, m->nheap, address);
    bool   ok = i && m->heap[i - 1].base == address;
    if (ok) {
        remember_freed(&m->heap_freed, m->heap[i - 1]);
        memmove(m->heap + i - 1, m->heap + i, (m->nheap - i) * sizeof *m->heap);
        m->nheap--;
    }
    pthread_mutex_unlock(&m->heap_lock);
    return ok;
}
