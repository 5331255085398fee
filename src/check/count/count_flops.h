/* SPDX-License-Identifier: Apache-2.0
 *
 * The counters of floating-point operations, from how many lanes executed which instruction. */
#ifndef WW_CHECK_COUNT_FLOPS_H
#define WW_CHECK_COUNT_FLOPS_H

#include "emu/observer.h"
#include "warpwright/warpwright.h"

/* Adds those of one instruction that so many lanes executed. */
void count_flops(WwCounters *to, const EmuInstr *instr, uint64_t lanes);

#endif
