/* SPDX-License-Identifier: Apache-2.0
 *
 * Clocks that only say how long a thread sleeps. */
#ifndef WW_PTX_IDLE_CLOCK_H
#define WW_PTX_IDLE_CLOCK_H

#include "ptx/cfg.h"

/* By Reg.index: does its value depend on a clock?  In `a`.  NULL: the function reads none, or more depends on it than how long the function
 * sleeps, and which way it takes to the place where it goes on in any case. */
const bool *idle_clock_of(Arena *a, const Func *f, const Cfg *cfg);

bool ptx_reads_clock(const Instr *in);

#endif
