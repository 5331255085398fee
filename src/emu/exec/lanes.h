/* SPDX-License-Identifier: Apache-2.0
 *
 * Lane types and the shape of a handler.  A row of isa.def names one of the lists below; the generator of its kind (lane1.c,
 * lane2.c, lane3.c, conv.c, pred.c) is applied to every lane type in it:  LANES_INT(X, ...) -> X(u16, ...) X(s16, ...) ...
 *
 * Per lane type t:  T_t the element, U_t and S_t unsigned and signed of the same size, W_t twice as wide, UW_t that unsigned,
 * N_t the number of elements (64 for packed pairs).
 *
 * A handler computes all 32 lanes, executing or not: into the destination when every live lane executes, else into w->scratch,
 * from where the executing ones are blended.  The destination may be any of the sources, never overlap one partly. */
#ifndef WW_EMU_EXEC_LANES_H
#define WW_EMU_EXEC_LANES_H

#include "emu/core/code.h"
#include "emu/exec/level.h"
#include "emu/exec/simd.h"

/* One expression serves signed and unsigned types: "a < 0" is meant to vanish for the latter. */
#pragma GCC diagnostic ignored "-Wtype-limits"

/* X(t, element, unsigned, signed, wide, unsigned wide, elements) */
#define LANE_PROPS(X)                                                                                                      \
    X(u8,     uint8_t,  uint8_t,  int8_t,  uint16_t, uint16_t, 32)                                                         \
    X(s8,     int8_t,   uint8_t,  int8_t,  int16_t,  uint16_t, 32)                                                         \
    X(u16,    uint16_t, uint16_t, int16_t, uint32_t, uint32_t, 32)                                                         \
    X(s16,    int16_t,  uint16_t, int16_t, int32_t,  uint32_t, 32)                                                         \
    X(u32,    uint32_t, uint32_t, int32_t, uint64_t, uint64_t, 32)                                                         \
    X(s32,    int32_t,  uint32_t, int32_t, int64_t,  uint64_t, 32)                                                         \
    X(u64,    uint64_t, uint64_t, int64_t, uint64_t, uint64_t, 32)                                                         \
    X(s64,    int64_t,  uint64_t, int64_t, int64_t,  uint64_t, 32)                                                         \
    X(f32,    float,    uint32_t, int32_t, double,   uint64_t, 32)                                                         \
    X(f64,    double,   uint64_t, int64_t, double,   uint64_t, 32)                                                         \
    X(f16,    uint16_t, uint16_t, int16_t, uint32_t, uint32_t, 32)                                                         \
    X(bf16,   uint16_t, uint16_t, int16_t, uint32_t, uint32_t, 32)                                                         \
    X(f16x2,  uint16_t, uint16_t, int16_t, uint32_t, uint32_t, 64)                                                         \
    X(bf16x2, uint16_t, uint16_t, int16_t, uint32_t, uint32_t, 64)                                                         \
    X(u16x2,  uint16_t, uint16_t, int16_t, uint32_t, uint32_t, 64)                                                         \
    X(s16x2,  int16_t,  uint16_t, int16_t, int32_t,  uint32_t, 64)

#define X(t, T, U, S, W, UW, n)                                                                                            \
    typedef T  T_##t;                                                                                                      \
    typedef U  U_##t;                                                                                                      \
    typedef S  S_##t;                                                                                                      \
    typedef W  W_##t;                                                                                                      \
    typedef UW UW_##t;                                                                                                     \
    enum { N_##t = n };
LANE_PROPS(X)
#undef X

/* Bytes of a PTX lane, what the mask is about; as tokens, because they choose a function. */
#define BYTES_u8 1
#define BYTES_s8 1
#define BYTES_u16 2
#define BYTES_s16 2
#define BYTES_u32 4
#define BYTES_s32 4
#define BYTES_u64 8
#define BYTES_s64 8
#define BYTES_f32 4
#define BYTES_f64 8
#define BYTES_f16 2
#define BYTES_bf16 2
#define BYTES_f16x2 4
#define BYTES_bf16x2 4
#define BYTES_u16x2 4
#define BYTES_s16x2 4
#define BYTES_b128 16
#define WIDE_BYTES_u8 2
#define WIDE_BYTES_s8 2
#define WIDE_BYTES_u16 4
#define WIDE_BYTES_s16 4
#define WIDE_BYTES_u32 8
#define WIDE_BYTES_s32 8

#define LANES_U32(X, ...)    X(u32, __VA_ARGS__)
#define LANES_U8(X, ...)     X(u8, __VA_ARGS__)
#define LANES_U16(X, ...)    X(u16, __VA_ARGS__)
#define LANES_U64(X, ...)    X(u64, __VA_ARGS__)
#define LANES_UNSG(X, ...)   X(u8, __VA_ARGS__) X(u16, __VA_ARGS__) X(u32, __VA_ARGS__)
#define LANES_S32(X, ...)    X(s32, __VA_ARGS__)
#define LANES_I32(X, ...)    X(u32, __VA_ARGS__) X(s32, __VA_ARGS__)
#define LANES_UINT(X, ...)   X(u16, __VA_ARGS__) X(u32, __VA_ARGS__) X(u64, __VA_ARGS__)
#define LANES_SINT(X, ...)   X(s16, __VA_ARGS__) X(s32, __VA_ARGS__) X(s64, __VA_ARGS__)
#define LANES_INT(X, ...)    LANES_UINT(X, __VA_ARGS__) LANES_SINT(X, __VA_ARGS__)
#define LANES_UINT2(X, ...)  LANES_UINT(X, __VA_ARGS__) X(u16x2, __VA_ARGS__)
#define LANES_INT2(X, ...)   LANES_INT(X, __VA_ARGS__) X(u16x2, __VA_ARGS__) X(s16x2, __VA_ARGS__)
#define LANES_SRELU(X, ...)  X(s32, __VA_ARGS__) X(s16x2, __VA_ARGS__)
#define LANES_NARROW(X, ...) X(u16, __VA_ARGS__) X(s16, __VA_ARGS__) X(u32, __VA_ARGS__) X(s32, __VA_ARGS__)
#define LANES_UINT32(X, ...) X(u32, __VA_ARGS__) X(u64, __VA_ARGS__)
#define LANES_INT32(X, ...)  X(u32, __VA_ARGS__) X(s32, __VA_ARGS__) X(u64, __VA_ARGS__) X(s64, __VA_ARGS__)
#define LANES_F32(X, ...)    X(f32, __VA_ARGS__)
#define LANES_F64(X, ...)    X(f64, __VA_ARGS__)
#define LANES_FLT(X, ...)    X(f32, __VA_ARGS__) X(f64, __VA_ARGS__)
#define LANES_F16(X, ...)    X(f16, __VA_ARGS__) X(f16x2, __VA_ARGS__)
#define LANES_BF16(X, ...)   X(bf16, __VA_ARGS__) X(bf16x2, __VA_ARGS__)
#define LANES_HALF(X, ...)   LANES_F16(X, __VA_ARGS__) LANES_BF16(X, __VA_ARGS__)
#define LANES_F16S(X, ...)   X(f16, __VA_ARGS__)
#define LANES_BF16S(X, ...)  X(bf16, __VA_ARGS__)
#define LANES_CVTI(X, ...)                                                                                                 \
    X(u8, __VA_ARGS__) X(s8, __VA_ARGS__) X(u16, __VA_ARGS__) X(s16, __VA_ARGS__)                                          \
    X(u32, __VA_ARGS__) X(s32, __VA_ARGS__) X(u64, __VA_ARGS__) X(s64, __VA_ARGS__)
#define LANES_CVTN(X, ...)   LANES_CVTI(X, __VA_ARGS__) LANES_FLT(X, __VA_ARGS__)
#define LANES_COPY(X, ...)                                                                                                 \
    X(u8, __VA_ARGS__) X(u16, __VA_ARGS__) X(u32, __VA_ARGS__) X(u64, __VA_ARGS__) X(b128, __VA_ARGS__)
#define LANES_B128(X, ...)   X(b128, __VA_ARGS__)
#define LANES_SEL(X, ...)    X(u16, __VA_ARGS__) X(u32, __VA_ARGS__) X(u64, __VA_ARGS__)

/* The expression of a row as a function of one lane, with the names rows use. */
#define LANE_TYPEDEFS(t)                                                                                                   \
    typedef T_##t  T __attribute__((unused));                                                                              \
    typedef U_##t  U __attribute__((unused));                                                                              \
    typedef S_##t  S __attribute__((unused));                                                                              \
    typedef W_##t  W __attribute__((unused));                                                                              \
    typedef UW_##t UW __attribute__((unused));

/* Destination of a handler: where the loop writes.  LANE_DONE ends the handler. */
#define LANE_OUT(D, u, w)                                                                                                  \
    (D *)__builtin_assume_aligned(warp_full(w) ? (void *)((w)->r + (u)->d) : (void *)(w)->scratch, 64)
#define LANE_DONE(t, w, u)     LANE_END(BYTES_##t, w, u)
#define LANE_END(bytes, w, u)  LANE_END_(bytes, w, u)
#define LANE_END_(bytes, w, u) return warp_full(w) ? (u) + 1 : blend##bytes(w, u, (w)->r + (u)->d)

#define LANE_LOOP(n)                                                                                                       \
    _Pragma("GCC ivdep") for (uint32_t i = 0; i < (n); i++)

/* What becomes of a row's op_ function: BODYn(id, t, elements, bytes of the result's lane, D result, A, B, C, E sources); BODYP: a
 * predicate is the result (mask_ is the whole warp's); BODYM: predicates are the sources, too.  Here it is a handler; the JIT makes functions
 * of it that it can put together (emu/jit/rows.c defines these first). */
#ifndef BODY1
#define BODY1(id, t, n, bytes, D, A)                                                                                       \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                               \
    {                                                                                                                      \
        D       *d = LANE_OUT(D, u, w);                                                                                    \
        const A *a = SLOT(w, const A, u->a);                                                                               \
        LANE_LOOP(n) d[i] = op_##id##_##t(a[i]);                                                                           \
        LANE_END(bytes, w, u);                                                                                             \
    }
#define BODY2(id, t, n, bytes, D, A, B)                                                                                    \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                               \
    {                                                                                                                      \
        D       *d = LANE_OUT(D, u, w);                                                                                    \
        const A *a = SLOT(w, const A, u->a);                                                                               \
        const B *b = SLOT(w, const B, u->b);                                                                               \
        LANE_LOOP(n) d[i] = op_##id##_##t(a[i], b[i]);                                                                     \
        LANE_END(bytes, w, u);                                                                                             \
    }
#define BODY3(id, t, n, bytes, D, A, B, C)                                                                                 \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                               \
    {                                                                                                                      \
        D       *d = LANE_OUT(D, u, w);                                                                                    \
        const A *a = SLOT(w, const A, u->a);                                                                               \
        const B *b = SLOT(w, const B, u->b);                                                                               \
        const C *c = SLOT(w, const C, u->c);                                                                               \
        LANE_LOOP(n) d[i] = op_##id##_##t(a[i], b[i], c[i]);                                                               \
        LANE_END(bytes, w, u);                                                                                             \
    }
#define BODY4(id, t, n, bytes, D, A, B, C, E)                                                                              \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                               \
    {                                                                                                                      \
        D       *d = LANE_OUT(D, u, w);                                                                                    \
        const A *a = SLOT(w, const A, u->a);                                                                               \
        const B *b = SLOT(w, const B, u->b);                                                                               \
        const C *c = SLOT(w, const C, u->c);                                                                               \
        const E *e = SLOT(w, const E, u->e);                                                                               \
        LANE_LOOP(n) d[i] = op_##id##_##t(a[i], b[i], c[i], e[i]);                                                         \
        LANE_END(bytes, w, u);                                                                                             \
    }
#define BODYP1(id, t, A)                                                                                                   \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                               \
    {                                                                                                                      \
        pred_write(w, u->d, mask_##id##_##t(SLOT(w, const A, u->a)));                                                      \
        return u + 1;                                                                                                      \
    }
#define BODYP2(id, t, A)                                                                                                   \
    static const Uop *lane_##id##_##t(Warp *w, const Uop *u)                                                               \
    {                                                                                                                      \
        pred_write(w, u->d, mask_##id##_##t(SLOT(w, const A, u->a), SLOT(w, const A, u->b)));                              \
        return u + 1;                                                                                                      \
    }
#define BODYM(id)                                                                                                          \
    static const Uop *lane_##id##_pred(Warp *w, const Uop *u)                                                              \
    {                                                                                                                      \
        pred_write(w, u->d, op_##id##_pred(pred_read(w, u->a), pred_read(w, u->b), pred_read(w, u->c)));                   \
        return u + 1;                                                                                                      \
    }

/* Enters a handler:  FILL(t, id) for every lane type of a row.  A kind's file knows its own rows only; op lists which Op they are. */
#define FILL(t, id) lane[*op][LT_##t] = lane_##id##_##t;
#endif

void EXEC_SYM(exec_fill_lane1)(UopFn (*lane)[LT_COUNT], const Op *op);
void EXEC_SYM(exec_fill_lane2)(UopFn (*lane)[LT_COUNT], const Op *op);
void EXEC_SYM(exec_fill_lane3)(UopFn (*lane)[LT_COUNT], const Op *op);
void EXEC_SYM(exec_fill_conv)(UopFn (*lane)[LT_COUNT], const Op *op);
void EXEC_SYM(exec_fill_pred)(UopFn (*lane)[LT_COUNT], const Op *op);
void EXEC_SYM(exec_fill_hand)(UopFn (*lane)[LT_COUNT], const Op *op);

#endif
