/* SPDX-License-Identifier: Apache-2.0
 *
 * setmaxnreg: the registers that the warps of a block own. */
#ifndef WW_EMU_MAXNREG_H
#define WW_EMU_MAXNREG_H

#include "emu/core/run.h"

/* Registers that a thread begins with; 0: the assembler ignores setmaxnreg. */
uint32_t maxnreg_at_entry(const Func *f, uint32_t largest_inc);
/* Who waits for registers that are there now goes on. */
void maxnreg_wake(Cluster *c);
/* The warp waits at u for registers that never come. */
void maxnreg_explain(Warp *w, const Uop *u);
/* A fault when the block's warps misused setmaxnreg. */
void maxnreg_block_ended(Block *b);

#endif
