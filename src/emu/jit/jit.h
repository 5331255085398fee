/* SPDX-License-Identifier: Apache-2.0
 *
 * The JIT's door: native code of the functions that a launch runs. */
#ifndef WW_EMU_JIT_JIT_H
#define WW_EMU_JIT_JIT_H

#include "emu/core/run.h"

/* For a launch that is about to begin: finds or makes the native code of its kernel, geometry and observers.  The program keeps it. */
void jit_launch(Launch *l);
/* The launch has run so many warp instructions: is it time to make native code?  For any worker. */
void jit_tick(Launch *l, uint64_t spent);
/* The launch has ended. */
void jit_ran(Launch *l);
/* From now on the worker runs native code, if there is any. */
void jit_begin(Worker *k);
/* It has ended: its observer hears of the accesses that native code counted. */
void jit_end(Worker *k);
/* The launch has ended: why the interpreter ran the kernel although native code was asked for, or could not be made; else NULL. */
const char *jit_left(const Launch *l);
void        jit_free(Program *p);
/* Why no native code can be made for the SIMD level; NULL: it can. */
const char *jit_missing(const char *level);

#endif
