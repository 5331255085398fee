/* SPDX-License-Identifier: Apache-2.0
 *
 * Joins merge two sorted lists.  A join that brings nothing new changes nothing and allocates nothing, because a thread that spins on a
 * flag acquires the same clock again and again. */
#include "check/race/race_clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

struct Clock {
    uint32_t   refs, n;
    ClockEntry e[];
};

static Clock *make(size_t n)
{
    Clock *c = xmalloc(sizeof *c + n * sizeof *c->e);
    c->refs  = 1;
    c->n     = (uint32_t)n;
    return c;
}

static int by_who(const void *a, const void *b)
{
    const ClockEntry *x = a, *y = b;
    return x->who != y->who ? (x->who < y->who ? -1 : 1) : (x->before > y->before) - (x->before < y->before);
}

Clock *clock_new(ClockEntry *e, size_t n)
{
    size_t kept = 0;
    if (n == 0)
        return NULL;
    qsort(e, n, sizeof *e, by_who);
    for (size_t i = 0; i < n; i++) {
        if (kept && e[kept - 1].who == e[i].who)
            kept--; /* the later time comes later */
        e[kept++] = e[i];
    }
    Clock *c = make(kept);
    memcpy(c->e, e, kept * sizeof *e);
    return c;
}

Clock *clock_ref(Clock *c)
{
    if (c)
        c->refs++;
    return c;
}

void clock_drop(Clock *c)
{
    if (c && --c->refs == 0)
        free(c);
}

/* Does a know all that b knows? */
static bool covers(const Clock *a, const Clock *b)
{
    uint32_t i = 0;
    for (uint32_t j = 0; j < b->n; j++) {
        while (i < a->n && a->e[i].who < b->e[j].who)
            i++;
        if (i == a->n || a->e[i].who != b->e[j].who || a->e[i].before < b->e[j].before)
            return false;
    }
    return true;
}

static Clock *merged(const Clock *a, const Clock *b)
{
    Clock   *c = make((size_t)a->n + b->n);
    uint32_t i = 0, j = 0, n = 0;
    while (i < a->n || j < b->n) {
        if (j == b->n || (i < a->n && a->e[i].who < b->e[j].who)) {
            c->e[n++] = a->e[i++];
        } else if (i == a->n || b->e[j].who < a->e[i].who) {
            c->e[n++] = b->e[j++];
        } else {
            c->e[n++] = a->e[i].before > b->e[j].before ? a->e[i] : b->e[j];
            i++, j++;
        }
    }
    c->n = n;
    return c;
}

void clock_join(Clock **to, Clock *from)
{
    Clock *old = *to;
    if (!from || old == from || (old && covers(old, from)))
        return;
    *to = !old || covers(from, old) ? clock_ref(from) : merged(old, from);
    clock_drop(old);
}

Clock *clock_of_block(const Clock *c, uint32_t birth)
{
    uint32_t first = 0, last;
    while (c && first < c->n && who_birth(c->e[first].who) < birth)
        first++;
    for (last = first; c && last < c->n && who_birth(c->e[last].who) == birth; last++)
        ;
    if (first == last)
        return NULL;
    Clock *part = make(last - first);
    memcpy(part->e, c->e + first, (last - first) * sizeof *c->e);
    return part;
}

Time clock_get(const Clock *c, uint64_t who)
{
    uint32_t lo = 0, hi = c ? c->n : 0;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (c->e[mid].who < who)
            lo = mid + 1;
        else
            hi = mid;
    }
    return c && lo < c->n && c->e[lo].who == who ? c->e[lo].before : 0;
}

size_t clock_size(const Clock *c)
{
    return c ? c->n : 0;
}
