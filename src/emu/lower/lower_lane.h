/* SPDX-License-Identifier: Apache-2.0
 *
 * What lower_lane.c (arithmetic, logic, comparison, movement) and lower_cvt.c (conversion) share: choosing a handler by row and lane
 * type, and emitting it.  Intermediate values always live in temporaries: a destination register may be a source as well. */
#ifndef WW_EMU_LOWER_LANE_H
#define WW_EMU_LOWER_LANE_H

#include "emu/lower/lower.h"

/* The lane type of a PTX type; LT_COUNT for those that have none. */
LaneType lane_type(Type t);
/* Bytes of a lane of that type; 0 for predicates. */
unsigned lane_bytes(LaneType t);

/* Emits row op for lane type t: d = op(a, b, c).  A row that knows no signed (or float) lanes is used with unsigned ones of that size. */
Uop *lane_emit(Lower *lo, Op op, LaneType t, Slot d, Slot a, Slot b, Slot c);
/* The same into a new temporary of `bytes` wide lanes. */
Slot lane_temp(Lower *lo, Op op, LaneType t, unsigned bytes, Slot a, Slot b, Slot c);
/* Source operand k of the instruction as type t. */
Slot lane_src(Lower *lo, const Instr *in, unsigned k, Type t);
/* Destination 0 = op(s...) with the opcode's type, rounding and clamps; s is overwritten. */
void lane_float(Lower *lo, const Instr *in, Op op, Slot *s, unsigned n);
bool lane_is_signed(Type t);
/* Puts slot s into destination operand 0 of type t; s is not used afterwards. */
void lane_store(Lower *lo, const Instr *in, Type t, Slot s);

/* cvt in all its forms; false if this one is not lowered. */
bool lower_cvt(Lower *lo, const Instr *in);
/* The packed video instructions; false for the others. */
bool lower_video(Lower *lo, const Instr *in);

#endif
