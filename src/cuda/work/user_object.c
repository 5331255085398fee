/* SPDX-License-Identifier: Apache-2.0
 *
 * Things of the program with a count of references.  Graphs, their clones and what is instantiated from them hold references of their own;
 * when the last one goes, the program's destructor is called, without the lock. */
#include <stdlib.h>

#include "base/arena.h"
#include "cuda/work/graph.h"

struct UserObject {
    void *p;
    void (*destroy)(void *);
    unsigned    count;
    UserObject *next;
};

static UserObject *objects;

UserObject *user_object_new(void *p, void (*destroy)(void *), unsigned count)
{
    UserObject *o = xcalloc(1, sizeof *o);
    *o            = (UserObject){p, destroy, count, objects};
    objects       = o;
    return o;
}

bool user_object_add(UserObject *o, int count)
{
    for (UserObject **at = &objects, *k; (k = *at); at = &k->next) {
        if (k != o)
            continue;
        if (count < 0 && o->count < (unsigned)-count)
            return false;
        o->count += (unsigned)count;
        if (o->count)
            return true;
        *at           = o->next;
        unsigned held = state_release();
        o->destroy(o->p);
        state_retake(held);
        free(o);
        return true;
    }
    return false;
}

void cgraph_own(Graph *g, UserObject *o, unsigned count)
{
    for (size_t i = 0; i < g->nowned; i++)
        if (g->owned[i].object == o) {
            g->owned[i].count += count;
            return;
        }
    g->owned              = xrealloc(g->owned, (g->nowned + 1) * sizeof *g->owned);
    g->owned[g->nowned++] = (struct Owned){o, count};
}

bool cgraph_disown(Graph *g, UserObject *o, unsigned count)
{
    for (size_t i = 0; i < g->nowned; i++) {
        if (g->owned[i].object != o || g->owned[i].count < count)
            continue;
        g->owned[i].count -= count;
        if (!g->owned[i].count)
            g->owned[i] = g->owned[--g->nowned];
        return user_object_add(o, -(int)count);
    }
    return false;
}

void cgraph_own_as(Graph *to, const Graph *from)
{
    for (size_t i = 0; i < from->nowned; i++) {
        user_object_add(from->owned[i].object, (int)from->owned[i].count);
        cgraph_own(to, from->owned[i].object, from->owned[i].count);
    }
}

void cgraph_disown_all(Graph *g)
{
    while (g->nowned) {
        struct Owned o = g->owned[--g->nowned];
        user_object_add(o.object, -(int)o.count);
    }
    free(g->owned);
    g->owned = NULL;
}
