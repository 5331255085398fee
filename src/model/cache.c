/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of 64 lines, the least recently used goes.  (Published configurations of cc 9.0 have 4 sets of 64 lines for 32 KiB.)  A line's set is
 * its number folded, so that strides of a power of two spread.  A line is held from its first miss on: the time that a sector takes to come is
 * left out, and so are ports and the queue of misses.  Stores write through: a sector that is written becomes valid where its line is held. */
#include "model/cache.h"

#include <stdlib.h>

#include "base/arena.h"

enum { WAYS = 64, LINE_BYTES = 128 };

typedef struct Way {
    uint64_t line, used; /* used: 0 = empty */
    unsigned sectors;
} Way;

struct ModelCache {
    uint64_t sets, now;
    Way     *way;
};

ModelCache *model_cache_new(uint64_t bytes)
{
    ModelCache *c = xcalloc(1, sizeof *c);
    c->sets       = bytes / (WAYS * LINE_BYTES);
    c->way        = xcalloc(c->sets * WAYS + 1, sizeof *c->way);
    return c;
}

void model_cache_free(ModelCache *c)
{
    if (c)
        free(c->way);
    free(c);
}

static Way *find(ModelCache *c, uint64_t line, Way **oldest)
{
    Way *set = &c->way[((line ^ line >> 7 ^ line >> 15) % c->sets) * WAYS];
    *oldest  = set;
    for (Way *w = set; w < set + WAYS; w++) {
        if (w->used && w->line == line)
            return w;
        if (w->used < (*oldest)->used)
            *oldest = w;
    }
    return NULL;
}

unsigned model_cache_load(ModelCache *c, uint64_t line, unsigned sectors)
{
    Way *oldest, *w;
    if (!c->sets)
        return 0;
    w = find(c, line, &oldest);
    if (!w) {
        w  = oldest;
        *w = (Way){.line = line};
    }
    unsigned there = w->sectors & sectors;
    w->sectors |= sectors;
    w->used = ++c->now;
    return there;
}

void model_cache_store(ModelCache *c, uint64_t line, unsigned sectors)
{
    Way *oldest, *w = c->sets ? find(c, line, &oldest) : NULL;
    if (w)
        w->sectors |= sectors;
}
