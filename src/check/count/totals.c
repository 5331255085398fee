/* SPDX-License-Identifier: Apache-2.0
 *
 * A parcel has the number of instructions, for each a byte, whether it made accesses, and the totals of those that did. */
#include "check/count/totals.h"

#include <stdlib.h>
#include <string.h>

#include "check/count/count.h"

void totals_size(Totals *t, uint32_t n)
{
    if (n <= t->n)
        return;
    t->of = xrealloc(t->of, n * sizeof *t->of);
    memset(t->of + t->n, 0, (n - t->n) * sizeof *t->of);
    t->n = n;
}

void totals_add(Totals *t, uint32_t id, const Total *more)
{
    if (!t->arena)
        t->arena = arena_new();
    if (!t->of[id])
        t->of[id] = ARENA_NEW(t->arena, Total);
    Total *to = t->of[id];
    counters_add(&to->sum, &more->sum);
    joined_add(&to->joined, &more->joined);
    to->others[0] += more->others[0];
    to->others[1] += more->others[1];
    to->others[2] += more->others[2];
    to->role  = more->role;
    to->store = more->store;
}

void totals_put(const Totals *t, Parcel *p)
{
    uint8_t *seen = xcalloc(t->n + 1u, 1);
    for (uint32_t i = 0; i < t->n; i++)
        seen[i] = t->of[i] != NULL;
    parcel_put_number(p, t->n);
    parcel_put(p, seen, t->n);
    for (uint32_t i = 0; i < t->n; i++)
        if (t->of[i])
            parcel_put(p, t->of[i], sizeof(Total));
    free(seen);
}

void totals_take(Totals *t, Parcel *p)
{
    size_t   n    = parcel_count(p, 1);
    uint8_t *seen = xcalloc(n + 1, 1);
    parcel_take(p, seen, n);
    totals_size(t, (uint32_t)n);
    for (size_t i = 0; i < n; i++) {
        Total one;
        if (!seen[i])
            continue;
        parcel_take(p, &one, sizeof one);
        totals_add(t, (uint32_t)i, &one);
    }
    free(seen);
}

void totals_free(Totals *t)
{
    if (t->arena)
        arena_free(t->arena);
    free(t->of);
}
