/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering: PTX instruction -> uops.  lower.c owns the walk and guards, lower_emit.c slots, prefixes and branches; lower_lane.c turns arithmetic into
 * lane operations; lower_mem.c memory instructions. */
#ifndef WW_EMU_LOWER_H
#define WW_EMU_LOWER_H

#include "emu/core/code.h"

typedef struct Lower Lower;

const ExecTable *lo_exec(const Lower *lo);
UopFn            lo_ctl(const Lower *lo, Ctl which);
/* Appends a zeroed uop with fn and the current instruction's id.  The pointer is valid until the next lo_emit. */
Uop *lo_emit(Lower *lo, UopFn fn);
/* Slot of a source operand read as `bytes` wide lanes (0 = predicate): a register, immediate (is_float: convert to a float of that width),
 * special register, variable address.  A register of another width gets a narrowing or zero-extending uop into a temporary; a negated
 * predicate ('!') gets its complement in a temporary. */
Slot lo_src(Lower *lo, const Operand *o, unsigned bytes, bool is_float);
/* Slot of a destination of `bytes` wide lanes: the register itself, or, when the register is wider (or the operand is '_'), a temporary;
 * then lo_dst_done must follow once the value is in it: it widens (sign-extending if is_signed) into the register. */
Slot lo_dst(Lower *lo, const Operand *o, unsigned bytes);
void lo_dst_done(Lower *lo, const Operand *o, Slot s, unsigned bytes, bool is_signed);
/* A temporary slot of `bytes` wide lanes (0 = predicate), free to reuse after the current instruction. */
Slot lo_temp(Lower *lo, unsigned bytes);
/* A constant slot, every lane equal to the low bytes of `bits`. */
Slot lo_const(Lower *lo, uint64_t bits, unsigned bytes);
/* Everything emitted between begin and end runs with that rounding ("rn", "rz", "rm", "rp" as WORD_rn ..., WORD_NONE = rn) and flush mode.
 * Begins nothing when both are the default. */
void lo_fpmode_begin(Lower *lo, Word rounding, bool ftz);
void lo_fpmode_end(Lower *lo);
/* Register slots hold the carry flag of add.cc ... : one 32-bit mask, like a predicate. */
Slot lo_carry(Lower *lo);

/* lower_lane.c: true if the instruction was arithmetic, logic, conversion, comparison, selection or data movement and is lowered. */
bool lower_lane(Lower *lo, const Instr *in);

#endif
