/* SPDX-License-Identifier: Apache-2.0
 *
 * The turns of a warp. */
#ifndef WW_EMU_TURN_H
#define WW_EMU_TURN_H

#include "emu/core/run.h"

/* One turn: runs groups until none can go on or the quantum is spent; *ran: some could.  Where native code comes to a barrier it goes on with
 * the turns of the warps behind, Worker.follow at most: the last one that had its turn. */
Warp *warp_run(Warp *w, bool *ran);
/* Worker.next: the warp behind w has nothing but lanes that native code goes on with (Warp.lean). */
Warp *turn_next(Warp *w);

#endif
