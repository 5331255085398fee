/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages hang in a hash; a worker keeps those it used last (race.c), so the lock here is taken once per worker and page. */
#include "check/race/race_shadow.h"

#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/arena.h"

typedef struct Entry {
    uint64_t       number; /* address >> PAGE_BITS */
    Page           page;
    UT_hash_handle hh;
} Entry;

struct Shadow {
    pthread_mutex_t lock;
    Entry          *entry;
};

Shadow *shadow_new(void)
{
    Shadow *s = xcalloc(1, sizeof *s);
    pthread_mutex_init(&s->lock, NULL);
    return s;
}

void shadow_clear(Shadow *s)
{
    Entry *e, *next;
    HASH_ITER(hh, s->entry, e, next)
    {
        HASH_DEL(s->entry, e); /* NOLINT(clang-analyzer-unix.Malloc): uthash's list */
        page_free(&e->page);
        free(e);
    }
}

void shadow_free(Shadow *s)
{
    if (!s)
        return;
    shadow_clear(s);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static Entry *find(Shadow *s, uint64_t number)
{
    Entry *e;
    HASH_FIND(hh, s->entry, &number, sizeof number, e);
    return e;
}

Page *shadow_page(Shadow *s, uint64_t address)
{
    uint64_t number = address >> PAGE_BITS;
    pthread_mutex_lock(&s->lock);
    Entry *e = find(s, number);
    if (!e) {
        e             = xcalloc(1, sizeof *e);
        e->number     = number;
        e->page.shift = WORD_BITS;
        HASH_ADD(hh, s->entry, number, sizeof e->number, e);
    }
    pthread_mutex_unlock(&s->lock);
    return &e->page;
}

const Page *shadow_find(Shadow *s, uint64_t address)
{
    pthread_mutex_lock(&s->lock);
    Entry *e = find(s, address >> PAGE_BITS);
    pthread_mutex_unlock(&s->lock);
    return e ? &e->page : NULL;
}

void shadow_forget(Shadow *s, uint64_t address, uint64_t bytes)
{
    uint64_t end = address + bytes;
    pthread_mutex_lock(&s->lock);
    for (uint64_t at = address; at < end;) {
        uint64_t next = (at | (PAGE_BYTES - 1)) + 1, stop = next < end ? next : end;
        Entry   *e = find(s, at >> PAGE_BITS);
        if (e)
            page_clear(&e->page, (unsigned)(at & (PAGE_BYTES - 1)), (unsigned)(stop - at));
        at = next;
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- one page ---- */

Stamp *page_plane(Page *p, Plane which)
{
    if (!p->plane[which])
        p->plane[which] = xcalloc((size_t)PAGE_BYTES >> p->shift, sizeof(Stamp));
    return p->plane[which];
}

void page_split(Page *p)
{
    for (int k = 0; k < PLANES; k++) {
        const Stamp *words = p->plane[k];
        if (!words)
            continue;
        Stamp *bytes = xmalloc(PAGE_BYTES * sizeof *bytes);
        for (unsigned i = 0; i < PAGE_BYTES; i++)
            bytes[i] = words[i >> WORD_BITS];
        free(p->plane[k]);
        p->plane[k] = bytes;
    }
    p->shift = 0;
    p->quiet = 0;
}

void page_clear(Page *p, unsigned from, unsigned bytes)
{
    p->quiet = 0;
    if (bytes == PAGE_BYTES) {
        page_free(p);
        return;
    }
    unsigned first = from >> p->shift, last = (from + bytes + (1u << p->shift) - 1) >> p->shift;
    for (int k = 0; k < PLANES; k++)
        if (p->plane[k])
            memset(p->plane[k] + first, 0, (last - first) * sizeof(Stamp));
}

void page_free(Page *p)
{
    for (int k = 0; k < PLANES; k++) {
        free(p->plane[k]);
        p->plane[k] = NULL;
    }
    p->shift  = WORD_BITS;
    p->quiet  = 0;
    p->newest = 0;
}
