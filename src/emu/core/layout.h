/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a program's variables lie.  emu_param, for the parameters of a kernel, is in emu.h. */
#ifndef WW_EMU_LAYOUT_H
#define WW_EMU_LAYOUT_H

#include "emu/core/program.h"

/* A memory of variables never ends behind this; the sum of sizes that do not fit is this, and every card refuses it. */
#define LAYOUT_MOST (1u << 31)
/* The end of `bytes` that begin at `at`. */
uint32_t layout_end(uint32_t at, uint64_t bytes);

/* The function's code in p; NULL: p does not reach it. */
Code *layout_code(const Program *p, const Func *f);
/* Offset of a shared variable in the block's window; UINT32_MAX if the program does not have it. */
uint32_t layout_shared(const Program *p, const Var *v);
/* Where a function's .param variable lies in its parameter buffers, a .local one in its local memory. */
uint32_t layout_variable(const Code *code, const Var *v);
/* The slot of a register operand, or of the part of a vector that it names. */
Slot layout_register(const Code *code, const Operand *o);
/* c->line goes on from byte `from` of the frame to byte `to`, of which nobody is known to use any. */
void layout_more_lines(Program *p, Code *c, uint32_t from, uint32_t to);
/* Says in c->line that n slots of `bytes` wide lanes (0: a predicate) begin there. */
void layout_lines(Code *c, Slot slot, unsigned bytes, unsigned n);
/* Gives every register and variable of c's function its place. */
void layout_function(Program *p, Code *c);

#endif
