/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses of local variables that may leave their function. */
#ifndef WW_CHECK_GENERIC_H
#define WW_CHECK_GENERIC_H

#include "ptx/traits.h"

/* cvta.local: the address of a local variable becomes a generic one. */
static inline bool makes_generic(const Instr *in)
{
    return op_is(in, TRAIT_ADDRESS) && (Word)in->op->field[FIELD_space] == WORD_local && !opcode_has(in->op, WORD_to);
}

#endif
