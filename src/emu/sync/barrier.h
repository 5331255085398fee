/* SPDX-License-Identifier: Apache-2.0
 *
 * Barriers of a block. */
#ifndef WW_EMU_BARRIER_H
#define WW_EMU_BARRIER_H

#include "emu/core/group.h"

/* The lanes that run are `arrived` threads at barrier id with those before them: they wait behind u. */
static inline const Uop *barrier_wait(Warp *w, const Uop *u, uint32_t id, uint32_t arrived)
{
    w->block->bar[id].arrived = arrived;
    w->block->progress        = true;
    warp_put(w, u + 1, w->frame, w->mask);
    w->group[w->ngroups - 1].state   = GROUP_BARRIER;
    w->group[w->ngroups - 1].barrier = (uint8_t)id;
    w->worker->event                 = EVENT_BARRIER;
    return STOP;
}

/* Completes barriers whose last thread has arrived or exited; true if any did. */
bool block_check_barriers(Block *b);

#endif
