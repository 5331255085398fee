/* SPDX-License-Identifier: Apache-2.0
 *
 * Frames of calls, which a worker keeps for the next call of the same function, and a program for its next launch. */
#ifndef WW_EMU_FRAME_H
#define WW_EMU_FRAME_H

#include "emu/core/run.h"

/* Bytes of its registers: whole lines of 64. */
static inline size_t frame_size(const Code *code)
{
    size_t bytes = ((size_t)code->frame_bytes + 63) & ~(size_t)63;
    return bytes ? bytes : 64;
}

Frame *frame_new(Worker *k, const Code *code);
void   frame_free(Worker *k, Frame *f);

/* Each lane's top of the stack, to be changed; local_top must then be what frame_top says of all that run in it. */
uint32_t *frame_tops(Frame *f);
/* The top of the lane that has most, of those. */
uint32_t frame_top(const Frame *f, uint32_t mask);

/* Everything of these lanes: what a frame of that code has at `from`, into that of another one at `to`. */
void frame_copy(const Code *code, uint8_t *to, const uint8_t *from, uint32_t mask);

/* The launch is over: everything that the worker made stays with the program. */
void frames_keep(Worker *k);
/* Frees what stayed with the program. */
void frames_drop(EmuDevice *d, Program *p);

#endif
