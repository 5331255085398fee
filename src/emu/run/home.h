/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes that called a function apart, and meet in it.  Its registers have 32 lanes, and lanes that call together share a frame; those that
 * call one after the other, or at different places, have one each.  On a card that makes no difference: an instruction with a member mask, or
 * .aligned, waits for its lanes wherever they come from (an H200 ran tests/ptx/call_apart*.ptx so).  So lanes that wait at one and the same
 * instruction for lanes of another frame move there, as guests, and go on together.  Their own frame, their home, stays: it knows where they
 * return to. */
#ifndef WW_EMU_HOME_H
#define WW_EMU_HOME_H

#include "emu/core/run.h"

/* Do both wait at one instruction, one of them for lanes of the other, in frames that can be one? */
bool home_meets(const Group *a, const Group *b);
/* The lanes of b move to the frame of a. */
void home_move(Warp *w, const Group *a, const Group *b);
/* The home of the first of these lanes, which run in f; *lanes: those that it is the home of. */
Frame *home_of(Frame *f, uint32_t *lanes);
/* Lanes that ran in f return or exit. */
void home_leave(Worker *k, Frame *f, Frame *home, uint32_t lanes);
/* They leave f, and every frame that they called it from. */
void home_leave_all(Worker *k, Frame *f, uint32_t lanes);

#endif
