/* SPDX-License-Identifier: Apache-2.0
 *
 * What the program allocated and has not freed, by the call that did.  Not counted: what was mapped or imported, the program's own memory that
 * was registered, variables, and a graph's memory while the graph has it not allocated. */
#include <stdlib.h>

#include "base/arena.h"
#include "cuda/memory/array.h"
#include "cuda/process/context.h"

static int by_caller(const void *a, const void *b)
{
    const Caller *x = &((const LeakSite *)a)->caller, *y = &((const LeakSite *)b)->caller;
    if (x->n != y->n)
        return x->n < y->n ? -1 : 1;
    for (unsigned i = 0; i < x->n; i++)
        if (x->at[i] != y->at[i])
            return (uintptr_t)x->at[i] < (uintptr_t)y->at[i] ? -1 : 1;
    return 0;
}

typedef struct Sites {
    LeakSite *site;
    size_t    n, cap;
} Sites;

static void add(Sites *s, const Caller *caller, size_t bytes)
{
    if (s->n == s->cap) {
        s->cap  = s->cap ? s->cap * 2 : 16;
        s->site = xrealloc(s->site, s->cap * sizeof *s->site);
    }
    s->site[s->n++] = (LeakSite){*caller, 1, bytes, bytes};
}

static void collect(Sites *s)
{
    for (const Range *r = devmem_next(0); r; r = devmem_next(r->base + 1))
        if (!r->registered && !r->variable && !r->mapped && !r->imported && !r->asleep)
            add(s, &r->caller, r->bytes);
    for (const Array *a = array_next(NULL); a; a = array_next(a)) {
        if (context_destroyed(a->context))
            continue;
        if (!a->mipmap)
            add(s, &a->caller, a->slice * array_size(a).depth);
        else if (a->mipmap->level[0] == a)
            add(s, &a->caller, a->mipmap->bytes);
    }
}

static size_t find_leaks(LeakSite **list)
{
    Sites  s     = {0};
    size_t sites = 0;
    collect(&s);
    if (s.n)
        qsort(s.site, s.n, sizeof *s.site, by_caller);
    for (size_t i = 0; i < s.n; i++) {
        LeakSite *last = sites ? &s.site[sites - 1] : NULL;
        if (!last || by_caller(last, &s.site[i]) != 0) {
            s.site[sites++] = s.site[i];
            continue;
        }
        last->n++;
        last->bytes += s.site[i].bytes;
        last->largest = last->largest > s.site[i].bytes ? last->largest : s.site[i].bytes;
    }
    *list = s.site;
    return sites;
}

STATE_PART(leaks, find_leaks)
