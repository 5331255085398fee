/* SPDX-License-Identifier: Apache-2.0
 *
 * A list of shapes and a hash table of their numbers.
 *
 * Invariants: two numbers are two shapes; a shape without distances (idle lanes' are 0) is found by comparing all of it, so a hash that
 * two share costs time only. */
#include "check/count/shapes.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

enum { LEAST = 64 }; /* places of the table; twice as many as shapes, at least */

struct Shapes {
    Shape    *shape;
    uint32_t *table; /* number + 1; 0: free */
    uint32_t  n, room, places;
};

Shapes *shapes_new(void)
{
    Shapes *s = xcalloc(1, sizeof *s);
    s->places = LEAST;
    s->room   = LEAST / 2;
    s->table  = xcalloc(s->places, sizeof *s->table);
    s->shape  = xcalloc(s->room, sizeof *s->shape);
    return s;
}

void shapes_free(Shapes *s)
{
    if (!s)
        return;
    free(s->table);
    free(s->shape);
    free(s);
}

void shapes_clear(Shapes *s)
{
    s->n = 0;
    memset(s->table, 0, s->places * sizeof *s->table);
}

size_t shapes_count(const Shapes *s)
{
    return s->n;
}

const Shape *shapes_all(const Shapes *s)
{
    return s->shape;
}

/* Of lanes in any order: what comes again mostly comes in the order in which it came first. */
static uint32_t leaders_of_any(uint32_t mask, const uint64_t *addr)
{
    uint64_t kept[LANES];
    uint32_t leaders = 0;
    unsigned n = 0, next = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addr[__builtin_ctz(m)];
        if (next >= n || kept[next] != at)
            for (next = 0; next < n && kept[next] != at;)
                next++;
        if (next == n) {
            kept[n++] = at;
            leaders |= m & -m;
        }
        next++;
    }
    return leaders;
}

/* Most accesses ascend or are one address. */
uint32_t shape_leaders(uint32_t mask, const uint64_t *addr)
{
    uint32_t leaders   = 0;
    bool     ascending = true;
    uint64_t before    = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        uint64_t at = addr[__builtin_ctz(m)];
        if (leaders && at == before)
            continue;
        ascending &= !leaders || at > before;
        leaders |= m & -m;
        before = at;
    }
    return ascending ? leaders : leaders_of_any(leaders, addr);
}

static bool is_shape(const Shape *s, uint32_t mask, const uint64_t *delta)
{
    return s->mask == mask && memcmp(s->delta, delta, sizeof s->delta) == 0;
}

static uint64_t hash_of(uint32_t mask, const uint64_t *delta)
{
    enum { CHAINS = 4 }; /* independent of each other, so that multiplications overlap */
    uint64_t h[CHAINS] = {mask, 1, 2, 3};
    for (unsigned k = 0; k < LANES; k += CHAINS)
        for (unsigned c = 0; c < CHAINS; c++)
            h[c] = (h[c] ^ delta[k + c]) * 0x9e3779b97f4a7c15u;
    h[0] ^= h[1] >> 7 ^ h[2] >> 13 ^ h[3] >> 19;
    return h[0] ^ h[0] >> 32;
}

static uint32_t *place_of(const Shapes *s, uint32_t mask, const uint64_t *delta)
{
    uint32_t i = (uint32_t)hash_of(mask, delta) & (s->places - 1);
    while (s->table[i] && !is_shape(&s->shape[s->table[i] - 1], mask, delta))
        i = (i + 1) & (s->places - 1);
    return &s->table[i];
}

static void grow(Shapes *s)
{
    free(s->table);
    s->room *= 2;
    s->places *= 2;
    s->shape = xrealloc(s->shape, s->room * sizeof *s->shape);
    s->table = xcalloc(s->places, sizeof *s->table);
    for (uint32_t i = 0; i < s->n; i++)
        *place_of(s, s->shape[i].mask, s->shape[i].delta) = i + 1;
}

static void describe(Shape *s, uint32_t mask, const uint64_t *delta)
{
    int64_t low = 0, high = 0; /* of the first active lane */
    *s = (Shape){.mask = mask, .leaders = shape_leaders(mask, delta)};
    memcpy(s->delta, delta, sizeof s->delta);
    s->values = (uint32_t)__builtin_popcount(s->leaders);
    for (uint32_t m = s->leaders; m; m &= m - 1) {
        int64_t d = (int64_t)delta[__builtin_ctz(m)];
        low       = d < low ? d : low;
        high      = d > high ? d : high;
        s->unit |= (uint64_t)d;
    }
    s->unit &= -s->unit;
    s->low  = (uint64_t)low;
    s->high = (uint64_t)high;
}

uint32_t shapes_find(Shapes *s, uint32_t near, uint32_t mask, const uint64_t *addr)
{
    uint64_t delta[LANES], first = addr[__builtin_ctz(mask)];
    for (unsigned k = 0; k < LANES; k++)
        delta[k] = addr[k] - first;
    for (uint32_t idle = ~mask; idle; idle &= idle - 1)
        delta[__builtin_ctz(idle)] = 0;
    if (near < s->n && is_shape(&s->shape[near], mask, delta))
        return near;
    uint32_t *at = place_of(s, mask, delta);
    if (*at)
        return *at - 1;
    if (s->n == s->room) {
        grow(s);
        at = place_of(s, mask, delta);
    }
    describe(&s->shape[s->n], mask, delta);
    *at = ++s->n;
    return s->n - 1;
}
