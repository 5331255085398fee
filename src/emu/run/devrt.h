/* SPDX-License-Identifier: Apache-2.0
 *
 * What the functions that the CUDA runtime provides to device code share: arguments, results, memory. */
#ifndef WW_EMU_DEVRT_H
#define WW_EMU_DEVRT_H

#include "emu/core/builtin.h"
#include "emu/core/run.h"

/* Argument i of a call, zero-extended; 0 when the call has fewer. */
uint64_t       devrt_arg(const Warp *w, const CallInfo *call, uint32_t i, unsigned lane);
/* Where its bytes are: the call must have it. */
const uint8_t *devrt_arg_at(const Warp *w, const CallInfo *call, uint32_t i, unsigned lane);
void           devrt_result(Warp *w, const CallInfo *call, unsigned lane, uint64_t v);
/* Host view of a lane's generic address and how many bytes there are from it on; NULL if none. */
uint8_t       *devrt_memory(const Warp *w, uint64_t address, unsigned lane, uint64_t *bytes);

/* Runs it for the active lanes. */
const Uop *builtin_run(Warp *w, const Uop *u, Builtin which);
/* cdp.c: the same of the device runtime (launches from kernels). */
const Uop *cdp_run(Warp *w, const Uop *u, Builtin which);

#endif
