/* SPDX-License-Identifier: Apache-2.0
 *
 * Which registers an instruction reads and which it writes. */
#ifndef WW_PTX_REGISTERS_H
#define WW_PTX_REGISTERS_H

#include "ptx/ptx.h"

typedef void EachRegister(void *user, const Operand *o, bool written);

/* Does its form name a result?  It is the first operand then; a call's results are a list. */
bool ptx_has_result(const Instr *in);
/* Calls each for every register among the operands, sources first and those of addresses too; the guard is not an operand. */
void ptx_each_register(const Instr *in, EachRegister *each, void *user);

#endif
