/* SPDX-License-Identifier: Apache-2.0
 *
 * Poison: bytes of registers that hold what nobody wrote.  A load that an observer says is poisoned (Access.poison) gives its frame a
 * shadow, one byte for each byte of the frame, not zero where it is poisoned, and an origin for every four.  While a frame has a shadow
 * the warp runs in poison_run, which follows poison from register to register one PTX instruction at a time; frames without
 * one run as always.  A shadow that has become clean is dropped.  An instruction none of whose registers may be poisoned (Frame.marks)
 * costs a look at them.
 *
 * Byte-precise through moves, loads, stores, conversions, shifts by constants, bit operations, additions; any other operation spoils
 * its whole result.  Predicates carry one bit a lane.  Not followed: from lane to lane inside a matrix instruction. */
#ifndef WW_EMU_POISON_H
#define WW_EMU_POISON_H

#include "emu/core/run.h"

/* Bytes of a shadow: moved from where nobody wrote, or computed from such bytes. */
enum { POISON_MOVED = 1, POISON_COMPUTED };

/* Is nothing in the frame poisoned any more?  Brings its marks up to date. */
bool poison_is_clean(Frame *f);
/* poison_run.c: runs the frame's code until the group stops or the frame has no shadow any more. */
const Uop *poison_run(Warp *w, const Uop *pc);
/* poison_step.c: what the instruction does to poison, just before it runs. */
void poison_step(Warp *w, uint32_t instr);
/* Arguments and results: the same transfers between shadows. */
void poison_transfer(Worker *k, const Transfer *t, uint32_t n, Frame *from, Frame *to, uint32_t mask);
/* The lanes' registers move from one frame to another of the same code. */
void poison_move(Worker *k, Frame *from, Frame *to, uint32_t mask);
/* The shadow of these bytes is not clean any more; may it be so?  No line of 64 is looked at more closely. */
static inline void poison_mark(Frame *f, size_t at, size_t bytes)
{
    for (size_t i = at / 64; i <= (at + bytes - 1) / 64; i++)
        f->marks[i] = 1;
}
static inline bool poison_marked(const Frame *f, size_t at, size_t bytes)
{
    for (size_t i = at / 64; i <= (at + bytes - 1) / 64; i++)
        if (f->marks[i])
            return true;
    return false;
}
/* Registers of `bytes` a lane hold what nobody wrote, in these lanes, from these origins. */
void poison_result(Warp *w, Slot d, unsigned bytes, uint32_t mask, const uint32_t *origin);
void poison_report(Warp *w, uint32_t instr, PoisonUseKind kind, uint32_t mask, const uint32_t *origin);

#endif
