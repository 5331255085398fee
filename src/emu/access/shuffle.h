/* SPDX-License-Identifier: Apache-2.0
 *
 * Where shfl takes values from (shuffle.c). */
#ifndef WW_EMU_SHUFFLE_H
#define WW_EMU_SHUFFLE_H

#include "emu/core/run.h"

/* The lane that shfl takes lane's value from (mode: Uop.x), and whether it lies in the segment. */
unsigned shuffle_source(unsigned mode, unsigned lane, uint32_t b, uint32_t c, bool *inside);
/* shfl, about to run: bad[i], said of the values of lane i, becomes what is said of what lane i receives. */
void shuffle_poison(const Warp *w, const Instr *in, uint16_t bad[32]);

#endif
