/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of a function that some path reads before it has written them. */
#ifndef WW_PTX_UNSET_H
#define WW_PTX_UNSET_H

#include "ptx/cfg.h"

/* Calls each(user, o, written) for every register that stands among the instruction's operands; the guard is none of them. */
void ptx_each_register(const Instr *in, void (*each)(void *user, const Operand *o, bool written), void *user);

/* Their indices in f->regs, ascending, in `a`; *n of them.  Never too few; more than there are where a write is guarded or partial. */
uint32_t *ptx_unset(Arena *a, const Func *f, const Cfg *cfg, uint32_t *n);

#endif
