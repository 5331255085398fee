/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of 64 lines, the least recently used goes.  (Published configurations of cc 9.0 have 4 sets of 64 lines for 32 KiB.)  A line's set is
 * its number folded, so that strides of a power of two spread.  A line is held from its first miss on: the time that a sector takes to come is
 * left out, and so are ports and the queue of misses.  Stores write through: a sector that is written becomes valid where its line is held. */
#include "model/cache.h"

#include <stdlib.h>

#include "base/arena.h"

enum { WAYS = 64, LINE_BYTES = 128, HINTS = 1 << 13 };

typedef struct Set {
    uint64_t line[WAYS]; /* plus 1; 0: empty.  Apart from the rest, as they are looked through for each access */
    uint64_t used[WAYS];
    uint8_t  sectors[WAYS];
} Set;

struct ModelCache {
    uint64_t sets, now;
    Set     *set;
    uint8_t  hint[HINTS]; /* by line: the way in which one of these lines was found last */
};

ModelCache *model_cache_new(uint64_t bytes)
{
    ModelCache *c = xcalloc(1, sizeof *c);
    c->sets       = bytes / (WAYS * LINE_BYTES);
    c->set        = xcalloc(c->sets + 1, sizeof *c->set);
    return c;
}

void model_cache_free(ModelCache *c)
{
    if (c)
        free(c->set);
    free(c);
}

static Set *set_of(const ModelCache *c, uint64_t line)
{
    return &c->set[(line ^ line >> 7 ^ line >> 15) % c->sets];
}

/* WAYS: it is not held. */
static unsigned find(ModelCache *c, const Set *s, uint64_t line)
{
    uint8_t *hint = &c->hint[line % HINTS];
    unsigned at   = WAYS;
    if (s->line[*hint] == line + 1)
        return *hint;
    for (unsigned i = 0; i < WAYS; i++)
        at = s->line[i] == line + 1 ? i : at;
    *hint = (uint8_t)(at < WAYS ? at : *hint);
    return at;
}

static unsigned oldest(const Set *s)
{
    unsigned at = 0;
    for (unsigned i = 1; i < WAYS; i++)
        at = s->used[i] < s->used[at] ? i : at;
    return at;
}

unsigned model_cache_load(ModelCache *c, uint64_t line, unsigned sectors)
{
    if (!c->sets)
        return 0;
    Set     *s  = set_of(c, line);
    unsigned at = find(c, s, line), there;
    if (at == WAYS) {
        at                    = oldest(s);
        s->line[at]           = line + 1;
        s->sectors[at]        = 0;
        c->hint[line % HINTS] = (uint8_t)at;
    }
    there = s->sectors[at] & sectors;
    s->sectors[at] |= (uint8_t)sectors;
    s->used[at] = ++c->now;
    return there;
}

void model_cache_store(ModelCache *c, uint64_t line, unsigned sectors)
{
    Set     *s  = c->sets ? set_of(c, line) : NULL;
    unsigned at = s ? find(c, s, line) : WAYS;
    if (at < WAYS)
        s->sectors[at] |= (uint8_t)sectors;
}
