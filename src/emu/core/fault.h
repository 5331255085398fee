/* SPDX-License-Identifier: Apache-2.0
 *
 * Faults of the running block: what a handler raises, and what a card lets pass. */
#ifndef WW_EMU_FAULT_H
#define WW_EMU_FAULT_H

#include "emu/core/run.h"

/* Records a fault of one lane in a call that can leave the lane out.  false: the block stops; lanes are then those of the fault. */
bool fault_of_lane(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* Records a fault of the running block and returns STOP.  lane: the first lane that showed it. */
const Uop *fault_raise(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
/* The same, of an access to global memory. */
const Uop *fault_at(Warp *w, const Uop *u, FaultKind kind, unsigned lane, uint32_t lanes, uint64_t address, uint64_t bytes, const char *fmt, ...)
    __attribute__((format(printf, 8, 9)));
const Uop *fault_access(Warp *w, const Uop *u, Space space, unsigned lane, uint32_t lanes, uint64_t address, uint64_t bytes,
                        AccessOp op);

/* A copy of `bytes` bytes that leaves its allocation in global memory, or shared memory. */
const Uop *fault_bulk(Warp *w, const Uop *u, Space space, unsigned lane, uint64_t address, uint64_t bytes);
/* "'variable' + 8", where an offset of shared memory is */
void fault_shared_name(const Warp *w, uint32_t offset, Str *out);

/* The same for what a card lets pass, for the reason `why`: kept, and the launch goes on. */
void fault_passed(Warp *w, const Uop *u, Space space, unsigned lane, uint64_t address, uint64_t bytes, AccessOp op, const char *why);
/* The same in words of the caller, of what is not an access. */
void fault_let_pass(Warp *w, const Uop *u, FaultKind kind, unsigned lane, const char *text);
/* Right behind fault_access or fault_passed: the addresses of all lanes of that access, for a picture of it. */
void fault_lanes(Warp *w, uint32_t mask, const uint64_t *at, AccessOp op);
/* What a handler returns after a fault of one of its lanes: STOP, or, where the fault was kept, what follows when the instruction has run
 * for the other lanes. */
const Uop *fault_others(Warp *w, const Uop *u);
/* Joins a worker's kept faults into the result. */
void fault_join(EmuResult *r, Worker *k);

#endif
