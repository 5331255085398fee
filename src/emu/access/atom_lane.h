/* SPDX-License-Identifier: Apache-2.0
 *
 * The atomics of one lane that are quick: integers of 4 and 8 bytes, and sums of f32.  Handlers (atom.c) and native code (jit/rows.c) are
 * made of the same; where operation and type are known, little of it is left. */
#ifndef WW_EMU_ATOM_LANE_H
#define WW_EMU_ATOM_LANE_H

#include <math.h>

#include "base/bits.h"
#include "emu/access/atom.h"

static inline uint64_t atom_from_f32(float f)
{
    return isnan(f) ? 0x7fffffff : f32_bits(f);
}

static inline float atom_flush(float f)
{
    return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}

static inline uint64_t atom_sum_f32(AtomOp op, uint64_t old, uint64_t b)
{
    float x = f32_of((uint32_t)old), y = f32_of((uint32_t)b);
    return op == ATOM_ADD_FTZ ? atom_from_f32(atom_flush(atom_flush(x) + atom_flush(y))) : atom_from_f32(x + y);
}

static inline uint64_t atom_pick(AtomOp op, Type t, uint64_t old, uint64_t b)
{
    bool less = t == TY_S32   ? (int32_t)old < (int32_t)b
                : t == TY_S64 ? (int64_t)old < (int64_t)b
                              : old < b;
    return less == (op == ATOM_MIN) ? old : b;
}

/* What memory holds afterwards; of 4 bytes the low half counts, and `old` and operands have nothing above. */
static inline uint64_t atom_word(AtomOp op, Type t, uint64_t old, uint64_t b, uint64_t c)
{
    switch (op) {
    case ATOM_ADD:
    case ATOM_ADD_FTZ: return t == TY_F32 ? atom_sum_f32(op, old, b) : old + b;
    case ATOM_MIN:
    case ATOM_MAX: return atom_pick(op, t, old, b);
    case ATOM_INC: return old >= b ? 0 : old + 1;
    case ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case ATOM_AND: return old & b;
    case ATOM_OR: return old | b;
    case ATOM_XOR: return old ^ b;
    case ATOM_EXCH: return b;
    case ATOM_CAS: return old == b ? c : old;
    }
    return old;
}

/* The same of a place that other threads of the host may change meanwhile; the old value. */
#define ATOM_HOST(bits)                                                                                                \
    static inline uint##bits##_t atom_host##bits(uint##bits##_t *at, AtomOp op, Type t, uint##bits##_t b,              \
                                                 uint##bits##_t c)                                                     \
    {                                                                                                                  \
        uint##bits##_t old;                                                                                            \
        switch (t == TY_F32 ? ATOM_CAS : op) {                                                                         \
        case ATOM_ADD: return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST);                                             \
        case ATOM_AND: return __atomic_fetch_and(at, b, __ATOMIC_SEQ_CST);                                             \
        case ATOM_OR: return __atomic_fetch_or(at, b, __ATOMIC_SEQ_CST);                                               \
        case ATOM_XOR: return __atomic_fetch_xor(at, b, __ATOMIC_SEQ_CST);                                             \
        case ATOM_EXCH: return __atomic_exchange_n(at, b, __ATOMIC_SEQ_CST);                                           \
        default: break;                                                                                                \
        }                                                                                                              \
        old = __atomic_load_n(at, __ATOMIC_RELAXED);                                                                   \
        while (!__atomic_compare_exchange_n(at, &old, (uint##bits##_t)atom_word(op, t, old, b, c), false,              \
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))                                       \
            ;                                                                                                          \
        return old;                                                                                                    \
    }
ATOM_HOST(32)
ATOM_HOST(64)
#undef ATOM_HOST

#endif
