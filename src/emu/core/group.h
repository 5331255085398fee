/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups of lanes that wait. */
#ifndef WW_EMU_GROUP_H
#define WW_EMU_GROUP_H

#include "emu/core/run.h"

/* Puts a waiting group; used by the handlers that split lanes. */
static inline void warp_put(Warp *w, const Uop *pc, Frame *frame, uint32_t mask)
{
    w->group[w->ngroups++] =
        (Group){.pc = pc, .frame = frame, .mask = mask, .state = GROUP_READY, .depth = frame->depth, .turn = w->turn, .put = ++w->puts};
}
/* Recomputes w->merge for the running frame. */
void warp_set_merge(Warp *w);
/* Groups of the block in that state go on; false if there was none. */
bool group_release(Block *b, GroupState state);
/* An mbarrier of the block has completed a phase: who waits for one looks again. */
void block_wake_mbarrier(Block *b);

#endif
