/* SPDX-License-Identifier: Apache-2.0
 *
 * The turns of a warp. */
#ifndef WW_EMU_TURN_H
#define WW_EMU_TURN_H

#include "emu/core/run.h"

/* One turn: runs groups until none can go on or the quantum is spent.  false if none could run. */
bool warp_run(Warp *w);

#endif
