/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels that launch kernels.  A parent can not wait for its children, so what a block of it does behind a launch may come before, beside or
 * behind whatever the child does; what the launching thread did before, or what was ordered before that, the child sees.  A launch begins
 * with memory for its parameters, of which checkers are told; the block's time advances there.  What other blocks do nothing orders with the
 * launch, unless the kernel has fences or flags, by which they may wait for each other.
 *
 * Children of one kernel are ordered by its streams alone (works_siblings).
 *
 * Not seen: accesses of other blocks of a parent with fences or flags; grandchildren and the kernel at the root; copies and sets that a kernel
 * asks for.  Two launches of a block whose parameters lay in the same place, one after the other, count as made with the later one. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "check/race/race_work_own.h"

bool handed_possible(const Module *m)
{
    for (size_t i = 0; i < m->nfuncs; i++)
        if (strstr(m->funcs[i]->name, "LaunchDevice"))
            return true;
    return false;
}

void handed_note(Works *w, const RaceRun *r, RaceBlock *b, uint64_t buffer)
{
    if (w->nhanded == w->handed_cap) {
        w->handed_cap = w->handed_cap ? w->handed_cap * 2 : 16;
        w->handed     = xrealloc(w->handed, w->handed_cap * sizeof *w->handed);
    }
    w->handed[w->nhanded++] = (Handed){.serial = r->launch->serial,
                                       .block  = b->index,
                                       .buffer = buffer,
                                       .launch = r->number,
                                       .birth  = b->birth,
                                       .began  = r->began,
                                       .at     = b->now,
                                       .flags  = r->flags};
}

bool handed_find(const Works *w, const CheckLaunch *l, Handed *out)
{
    const LaunchOrigin *o = l->origin;
    for (size_t i = o && !o->tail && l->work ? w->nhanded : 0; i--;)
        if (w->handed[i].serial == o->serial && w->handed[i].block == o->block && w->handed[i].buffer == o->buffer) {
            *out = w->handed[i];
            return true;
        }
    return false;
}
