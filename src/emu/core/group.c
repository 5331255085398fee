/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of lanes that wait: where those that run meet them, and letting those go on that wait for the same.  turn.c chooses among them. */
#include "emu/core/group.h"

#include "emu/core/apart.h"
#include "emu/core/run.h"
#include "emu/core/schedule.h"

void warp_set_merge(Warp *w)
{
    const Uop *merge = STOP;
    for (uint32_t i = 0; i < w->ngroups; i++) {
        const Group *g = &w->group[i];
        if (g->frame == w->frame && g->state != GROUP_BARRIER && g->pc > w->pc && g->pc < merge &&
            !(w->naparts && apart_are(w, w->mask, g->mask)))
            merge = g->pc;
    }
    w->merge = schedule_merge(w, w->naparts ? apart_merge(w, merge) : merge);
}

/* Groups in that state go on; false if there was none. */
bool group_release(Block *b, GroupState state)
{
    bool any = false;
    for (uint32_t i = 0; i < b->nwarps; i++)
        for (uint32_t j = 0; j < b->warp[i].ngroups; j++)
            if (b->warp[i].group[j].state == state) {
                b->warp[i].group[j].state = GROUP_READY;
                if (state == GROUP_MBARRIER)
                    schedule_wakes(&b->warp[i], &b->warp[i].group[j]);
                any = true;
            }
    return any;
}

void block_wake_mbarrier(Block *b)
{
    group_release(b, GROUP_MBARRIER);
}
