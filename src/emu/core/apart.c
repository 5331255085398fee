/* SPDX-License-Identifier: Apache-2.0
 *
 * Which lanes a card runs together between a branch and the place where its ways meet, where several ways come by one block.  Read on an H200 by
 * kernels that note who is active, and exact for each of 512 warps (docs/time-model.md):
 *
 *   - of the two sides the one with fewer lanes goes on, of equal ones the one that falls through; the other waits;
 *   - a group that comes by a place where another one waits does not take it along;
 *   - when the running group waits for the others, or ends, the one goes on that has waited shortest; alone if it was the last to part, else
 *     with all that wait at the same place.
 *
 * Warp.apart is a list of sets of lanes, one for each side of such a branch: no two of its sets overlap but where one holds the other.  Groups are
 * apart unless the same sets hold them.  A set loses the lanes that come to where its side meets the others, those that exit and those that return;
 * one that equals a set before it says nothing, so there are never more than twice as many as lanes. */
#include "emu/core/apart.h"

#include "emu/core/group.h"

/* Says set i anything that none of the first n says? */
static bool tells(const Warp *w, uint32_t i, uint32_t n)
{
    for (uint32_t j = 0; j < n; j++)
        if (w->apart[j].mask == w->apart[i].mask)
            return false;
    return w->apart[i].mask != 0;
}

static void tidy(Warp *w)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->naparts; i++)
        if (tells(w, i, n))
            w->apart[n++] = w->apart[i];
    w->naparts = n;
}

/* There is always room (above); without it lanes would meet early, and no memory be lost. */
static void add(Warp *w, const Uop *meets, uint32_t mask)
{
    if (w->naparts < MOST_APARTS)
        w->apart[w->naparts++] = (Apart){meets, w->frame, mask};
}

void apart_part(Warp *w, const Uop *pc, uint32_t first, const Uop *other, const Uop *meets)
{
    uint32_t rest = w->mask & ~first;
    if (pc != meets)
        add(w, meets, first);
    if (other != meets)
        add(w, meets, rest);
    warp_put(w, other, w->frame, rest);
    w->group[w->ngroups - 1].parted = true;
    w->last                         = w->puts;
    w->mask                         = first;
    w->pc                           = pc;
    warp_set_merge(w);
}

void apart_arrive(Warp *w)
{
    for (uint32_t i = 0; i < w->naparts; i++)
        for (uint32_t j = 0; j < w->ngroups; j++)
            if (w->group[j].pc == w->apart[i].meets && w->group[j].frame == w->apart[i].frame)
                w->apart[i].mask &= ~w->group[j].mask;
    tidy(w);
}

bool apart_are(const Warp *w, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < w->naparts; i++)
        if (!(w->apart[i].mask & a) != !(w->apart[i].mask & b))
            return true;
    return false;
}

/* Does g stand where lanes of o are still to come by? */
static bool awaits(const Warp *w, const Group *g, const Group *o)
{
    for (uint32_t i = 0; i < w->naparts; i++)
        if (w->apart[i].meets == g->pc && w->apart[i].frame == g->frame && (w->apart[i].mask & o->mask))
            return true;
    return false;
}

bool apart_first(const Warp *w, const Group *a, const Group *b)
{
    if (awaits(w, b, a))
        return true;
    return !awaits(w, a, b) && a->put > b->put;
}

void apart_gather(Warp *w, Group *g)
{
    bool alone = !g->parted || g->put == w->last;
    if (g->parted)
        w->last = 0;
    for (uint32_t i = 0; i < w->ngroups && !alone; i++) {
        Group *o = &w->group[i];
        if (o == g || o->pc != g->pc || o->frame != g->frame || !o->parted)
            continue;
        apart_join(w, g->mask, o->mask);
        g->mask |= o->mask;
        o->mask = 0;
    }
}

void apart_join(Warp *w, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < w->naparts; i++)
        if (w->apart[i].mask & a)
            w->apart[i].mask |= b;
        else
            w->apart[i].mask &= ~b;
    tidy(w);
}

void apart_leave(Warp *w, uint32_t mask, const Frame *frame)
{
    for (uint32_t i = 0; i < w->naparts; i++)
        if (!frame || w->apart[i].frame == frame)
            w->apart[i].mask &= ~mask;
    tidy(w);
}

const Uop *apart_merge(const Warp *w, const Uop *merge)
{
    for (uint32_t i = 0; i < w->naparts; i++) {
        const Apart *a = &w->apart[i];
        if (a->frame == w->frame && (a->mask & w->mask) && a->meets > w->pc && a->meets < merge)
            merge = a->meets;
    }
    return merge;
}
