/* SPDX-License-Identifier: Apache-2.0
 *
 * What one PTX instruction becomes in machine code by itself: names of sass/opcodes.def as standin.def has them. */
#ifndef WW_CHECK_TIME_RECIPE_H
#define WW_CHECK_TIME_RECIPE_H

#include "ptx/ptx.h"

/* Type k of the opcode's words; TY_NONE: it has fewer. */
Type recipe_type(const Opcode *o, unsigned k);
bool recipe_is_float(Type t);
/* "": nothing is left of it. */
const char *recipe_of(const Opcode *o);

/* Of those that load, store or update memory one by one (no bulk copies, textures or matrices): */
bool recipe_is_access(const Instr *in);
/* merges: as EmuInstr has it.  "": an operand brings it. */
const char *recipe_of_access(const Instr *in, uint32_t merges);
Word        recipe_space(const Instr *in); /* WORD_NONE: generic */
bool        recipe_in_shared(Word space);
unsigned    recipe_bytes(const Instr *in); /* of a lane */

#endif
