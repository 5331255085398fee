/* SPDX-License-Identifier: Apache-2.0
 *
 * Which read-modify-write an atom or red instruction makes (MemInfo.atom). */
#ifndef WW_EMU_ATOM_H
#define WW_EMU_ATOM_H

#include "ptx/ptx.h"

typedef enum AtomOp { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_INC, ATOM_DEC, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS,
    ATOM_ADD_FTZ, /* f32, subnormal numbers as zeros: of tensors of the FTZ types */
} AtomOp;

/* The operation that an opcode names; ATOM_ADD for .add. */
AtomOp atom_op_of(const Opcode *o);
/* Is that a reduction of bulk copies?  Bits count as unsigned. */
bool atom_reduces(AtomOp op, Type t);
/* a op b, as an update of `a` leaves it in memory. */
uint64_t atom_combine(AtomOp op, Type t, uint64_t a, uint64_t b);
/* One update of 2, 4 or 8 bytes, a host atomic. */
void atom_update(uint8_t *at, unsigned bytes, AtomOp op, Type t, uint64_t value);
/* at[i] = at[i] op value[i] for n elements of a type of 2, 4 or 8 bytes, each a host atomic. */
void atom_many(uint8_t *at, const uint8_t *value, uint32_t n, AtomOp op, Type t);

#endif
