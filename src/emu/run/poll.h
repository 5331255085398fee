/* SPDX-License-Identifier: Apache-2.0
 *
 * Groups that poll: they go round in a loop that looks at memory until somebody else has changed it. */
#ifndef WW_EMU_POLL_H
#define WW_EMU_POLL_H

#include "emu/core/run.h"

/* A quantum begins: says in w->floor when to look first. */
void poll_begin(Warp *w);
/* Another group runs: a look that was under way is over. */
void poll_switch(Warp *w);
/* The running group has come to w->floor, at the head of a basic block.  true: it only polls and ends its turn; false: it goes on from
 * w->pc, until the new w->floor. */
bool poll_waits(Warp *w);

#endif
