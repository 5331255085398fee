/* SPDX-License-Identifier: Apache-2.0
 *
 * Which read-modify-write an opcode names, and which of them bulk copies have. */
#include "emu/access/atom.h"

AtomOp atom_op_of(const Opcode *o)
{
    static const struct {
        Word   w;
        AtomOp op;
    } ops[] = {
        {WORD_cas, ATOM_CAS}, {WORD_exch, ATOM_EXCH}, {WORD_min, ATOM_MIN}, {WORD_max, ATOM_MAX}, {WORD_inc, ATOM_INC},
        {WORD_dec, ATOM_DEC}, {WORD_and, ATOM_AND},   {WORD_or, ATOM_OR},   {WORD_xor, ATOM_XOR},
    };
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (opcode_has(o, ops[i].w))
            return ops[i].op;
    return ATOM_ADD;
}

bool atom_reduces(AtomOp op, Type t)
{
    bool wide = t == TY_U64 || t == TY_B64, word = t == TY_U32 || t == TY_S32 || t == TY_B32,
         half = t == TY_F16 || t == TY_BF16;
    switch (op) {
    case ATOM_ADD: return word || wide || half || t == TY_F32 || t == TY_F64;
    case ATOM_MIN:
    case ATOM_MAX: return word || wide || half || t == TY_S64;
    case ATOM_INC:
    case ATOM_DEC: return t == TY_U32;
    case ATOM_AND:
    case ATOM_OR:
    case ATOM_XOR: return word || wide;
    default: return false;
    }
}
