/* SPDX-License-Identifier: Apache-2.0
 *
 * Integer helpers of isa.def's expressions, on one lane.  Total: any input, no undefined behaviour, no trap.  Written without
 * branches where that lets the compiler vectorise. Section numbers are those of the PTX manual's instruction chapter. */
#ifndef WW_EMU_EXEC_LANE_INT_H
#define WW_EMU_EXEC_LANE_INT_H

#include "emu/exec/simd.h"

#define MIN(a, b)   ((a) < (b) ? (a) : (b))
#define MAX(a, b)   ((a) > (b) ? (a) : (b))
#define RELU(x)     MAX((x), 0)
#define BITS(T)     (8 * (uint32_t)sizeof(T))
#define IS_SIGNED(T) ((T)-1 < (T)1)

/* ---- add, sub, mul ---- */
INLINE int32_t add_sat_s32(int32_t a, int32_t b)
{
    int64_t s = (int64_t)a + b;
    return (int32_t)(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s);
}

INLINE int32_t sub_sat_s32(int32_t a, int32_t b)
{
    int64_t s = (int64_t)a - b;
    return (int32_t)(s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : s);
}

/* 1u: 16-bit factors would be multiplied as int, and overflow. */
#define MUL_LO(a, b) ((T)(1u * (U)(a) * (U)(b)))

INLINE uint16_t mul_hi_u16(uint16_t a, uint16_t b) { return (uint16_t)((uint32_t)a * b >> 16); }
INLINE int16_t  mul_hi_s16(int16_t a, int16_t b) { return (int16_t)(((int32_t)a * b) >> 16); }
INLINE uint32_t mul_hi_u32(uint32_t a, uint32_t b) { return (uint32_t)((uint64_t)a * b >> 32); }
INLINE int32_t  mul_hi_s32(int32_t a, int32_t b) { return (int32_t)(((int64_t)a * b) >> 32); }
INLINE uint64_t mul_hi_u64(uint64_t a, uint64_t b) { return (uint64_t)((unsigned __int128)a * b >> 64); }
INLINE int64_t  mul_hi_s64(int64_t a, int64_t b) { return (int64_t)(((__int128)a * b) >> 64); }
#define BY_INT(f, x)                                                                                                       \
    _Generic((x), uint16_t: f##_u16, int16_t: f##_s16, uint32_t: f##_u32, int32_t: f##_s32, uint64_t: f##_u64,             \
             int64_t: f##_s64)
#define MUL_HI(a, b) BY_INT(mul_hi, (T)(a))((a), (b))

INLINE uint32_t low24_u32(uint32_t a) { return a & 0xffffffu; }
INLINE int32_t  low24_s32(int32_t a) { return (int32_t)((uint32_t)a << 8) >> 8; }
#define LOW24(a)       _Generic((a), uint32_t: low24_u32, int32_t: low24_s32)(a)
#define MUL24(a, b)    ((W)LOW24(a) * (W)LOW24(b))
#define MUL24_LO(a, b) ((T)(UW)MUL24(a, b))
#define MUL24_HI(a, b) ((T)(MUL24(a, b) >> 16)) /* bits 47..16 of the 48-bit product */

/* ---- div, rem: as the hardware's sequences leave it, x / 0 and x % 0 are all ones ---- */
INLINE uint16_t div_u16(uint16_t a, uint16_t b)
{
    float q = (float)a / (float)(b ? b : 1);
    return b ? (uint16_t)(int32_t)q : UINT16_MAX;
}

INLINE uint32_t div_u32(uint32_t a, uint32_t b)
{
    /* Exact: (a + 1/2) / b is at least 1 / 2b away from any integer, and what is computed errs by a / b * 2^-51, however it is rounded.  The
     * division is of one number where b is the same in all lanes, and leaves a loop that does not change b. */
    double inverse = 1.0 / (double)(b ? b : 1);
#if defined(SIMD_AVX2) /* has vectors of signed numbers alone: a becomes the last bits of 2^52 + a, and these are the quotient's later */
    union {
        uint64_t bits;
        double   value;
    } x = {.bits = UINT64_C(0x4330000000000000) | a}, y = {.value = __builtin_trunc((x.value - (0x1p52 - 0.5)) * inverse) + 0x1p52};
    uint32_t q = (uint32_t)y.bits;
#else
    uint32_t q = (uint32_t)(((double)a + 0.5) * inverse);
#endif
    return b ? q : UINT32_MAX;
}

INLINE uint64_t div_u64(uint64_t a, uint64_t b) { return b ? ((a | b) >> 32 ? a / b : (uint32_t)a / (uint32_t)b) : UINT64_MAX; }

#define DIV_SIGNED(name, T, U, udiv)                                                                                       \
    INLINE T name(T a, T b)                                                                                                \
    {                                                                                                                      \
        U ua = a < 0 ? (U)((U)0 - (U)a) : (U)a, ub = b < 0 ? (U)((U)0 - (U)b) : (U)b;                                      \
        U q  = udiv(ua, ub);                                                                                               \
        return b ? (T)((a ^ b) < 0 ? (U)((U)0 - q) : q) : (T)-1;                                                           \
    }
DIV_SIGNED(div_s16, int16_t, uint16_t, div_u16)
DIV_SIGNED(div_s32, int32_t, uint32_t, div_u32)
DIV_SIGNED(div_s64, int64_t, uint64_t, div_u64)
#undef DIV_SIGNED
#define DIV(a, b) BY_INT(div, (T)(a))((a), (b))
#define REM(a, b) ((T)((b) ? (U)((U)(a) - (U)(1u * (U)DIV(a, b) * (U)(b))) : (U)~(U)0))

/* ---- bits ---- */
INLINE uint32_t popc_u32(uint32_t a)
{
    a -= a >> 1 & 0x55555555u;
    a = (a & 0x33333333u) + (a >> 2 & 0x33333333u);
    a = (a + (a >> 4)) & 0x0f0f0f0fu;
    return a * 0x01010101u >> 24;
}

INLINE uint32_t popc_u64(uint64_t a) { return popc_u32((uint32_t)a) + popc_u32((uint32_t)(a >> 32)); }

INLINE uint32_t clz_u32(uint32_t a)
{
    a |= a >> 1;
    a |= a >> 2;
    a |= a >> 4;
    a |= a >> 8;
    a |= a >> 16;
    return 32 - popc_u32(a);
}

INLINE uint32_t clz_u64(uint64_t a)
{
    uint32_t hi = (uint32_t)(a >> 32), lo = (uint32_t)a;
    return hi ? clz_u32(hi) : 32 + clz_u32(lo);
}

INLINE uint32_t brev_u32(uint32_t a)
{
    a = (a >> 1 & 0x55555555u) | (a & 0x55555555u) << 1;
    a = (a >> 2 & 0x33333333u) | (a & 0x33333333u) << 2;
    a = (a >> 4 & 0x0f0f0f0fu) | (a & 0x0f0f0f0fu) << 4;
    a = (a >> 8 & 0x00ff00ffu) | (a & 0x00ff00ffu) << 8;
    return a >> 16 | a << 16;
}

INLINE uint64_t brev_u64(uint64_t a) { return (uint64_t)brev_u32((uint32_t)a) << 32 | brev_u32((uint32_t)(a >> 32)); }

#define BY_U32(f, x) _Generic((x), uint32_t: f##_u32, uint64_t: f##_u64)
#define POPC(a)      BY_U32(popc, a)(a)
#define CLZ(a)       BY_U32(clz, a)(a)
#define BREV(a)      BY_U32(brev, a)(a)
/* The highest bit that differs from the sign; all ones when there is none. */
#define FOLD(a)        ((U)((a) < 0 ? ~(U)(a) : (U)(a)))
#define BFIND(a)       (BITS(T) - 1 - CLZ(FOLD(a)))
#define BFIND_SHIFT(a) (FOLD(a) ? CLZ(FOLD(a)) : UINT32_MAX)

/* Position of the c-th set bit of a, from bit b on: upwards for c > 0, downwards for c < 0, bit b itself for c = 0.
 * An offset of -2^31, whose magnitude no s32 holds, gives 0 on the hardware. */
INLINE uint32_t fns_u32(uint32_t mask, uint32_t base, uint32_t offset)
{
    int32_t  n = (int32_t)offset, step = n < 0 ? -1 : 1;
    uint32_t left = n == 0 ? 1 : n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
    if (n == INT32_MIN)
        return 0;
    if (base > 31 || (n == 0 && !(mask >> base & 1)))
        return UINT32_MAX;
    for (int32_t i = (int32_t)base; i >= 0 && i < 32; i += step)
        if (mask >> i & 1 && --left == 0)
            return (uint32_t)i;
    return UINT32_MAX;
}

/* bfe, bfi: start and length are the low 8 bits of the 32-bit forms, as the manual has it; the hardware's 64-bit forms take all
 * bits.  Bits beyond the top are zero, or copies of the field's sign. */
#define FIELD(T, x) (sizeof(T) == 8 ? ((x) > 255 ? 255 : (x)) : (x) & 255)
#define BFE(T, U)                                                                                                          \
    U        u = (U)a;                                                                                                     \
    uint32_t pos = FIELD(T, b), len = FIELD(T, c), msb = BITS(T) - 1;                                                              \
    uint32_t top  = MIN(pos + len - 1, msb);                                                                               \
    U        sign = (U)(IS_SIGNED(T) && len ? u >> (top & msb) & 1 : 0);                                                   \
    U        fill = (U)0 - sign;                                                                                           \
    U        body = pos > msb ? fill : u >> (pos & msb);                                                                   \
    uint32_t keep = pos > msb ? 0 : MIN(len, msb + 1 - pos);                                                               \
    U        mask = keep > msb ? (U)~(U)0 : ((U)1 << (keep & msb)) - 1;                                                    \
    return (T)(len == 0 ? 0 : ((body & mask) | (fill & (U)~mask)));
INLINE uint32_t bfe_u32(uint32_t a, uint32_t b, uint32_t c) { BFE(uint32_t, uint32_t) }
INLINE int32_t  bfe_s32(int32_t a, uint32_t b, uint32_t c) { BFE(int32_t, uint32_t) }
INLINE uint64_t bfe_u64(uint64_t a, uint32_t b, uint32_t c) { BFE(uint64_t, uint64_t) }
INLINE int64_t  bfe_s64(int64_t a, uint32_t b, uint32_t c) { BFE(int64_t, uint64_t) }
#undef BFE

/* bfi: a's low bits replace len bits of b from pos on. */
#define BFI(U)                                                                                                             \
    uint32_t pos = FIELD(U, p), len = FIELD(U, n), width = BITS(U);                                                                \
    uint32_t keep = pos >= width ? 0 : MIN(len, width - pos);                                                              \
    U        mask = keep >= width ? (U)~(U)0 : (((U)1 << (keep & (width - 1))) - 1) << (pos & (width - 1));                \
    return (b & ~mask) | (a << (pos & (width - 1)) & mask);
INLINE uint32_t bfi_u32(uint32_t a, uint32_t b, uint32_t p, uint32_t n) { BFI(uint32_t) }
INLINE uint64_t bfi_u64(uint64_t a, uint64_t b, uint32_t p, uint32_t n) { BFI(uint64_t) }
#undef BFI

INLINE uint32_t ones_u32(uint32_t n) { return n > 31 ? UINT32_MAX : (1u << (n & 31)) - 1; }
INLINE uint32_t bmsk_clamp_u32(uint32_t a, uint32_t b) { return a > 31 ? 0 : ones_u32(b) << (a & 31); }
INLINE uint32_t bmsk_wrap_u32(uint32_t a, uint32_t b) { return ones_u32(b & 31) << (a & 31); }

INLINE uint32_t szext_u32(uint32_t a, uint32_t n) { return n > 31 ? a : n ? a & ones_u32(n) : 0; }
INLINE int32_t  szext_s32(int32_t a, uint32_t n)
{
    uint32_t s = (32 - n) & 31;
    return n > 31 ? a : n ? (int32_t)((uint32_t)a << s) >> s : 0;
}
#define SZEXT(a, n)       _Generic((a), uint32_t: szext_u32, int32_t: szext_s32)((a), (n))
#define SZEXT_CLAMP(a, n) SZEXT(a, (uint32_t)(n))
#define SZEXT_WRAP(a, n)  SZEXT(a, (uint32_t)(n) & 31)

/* ---- dot products ---- */
#define BYTE(T, x, i) ((int32_t)(T)((x) >> (8 * (i))))
#define DOT4(A, B)                                                                                                         \
    c + (uint32_t)(BYTE(A, a, 0) * BYTE(B, b, 0) + BYTE(A, a, 1) * BYTE(B, b, 1) + BYTE(A, a, 2) * BYTE(B, b, 2) +         \
                   BYTE(A, a, 3) * BYTE(B, b, 3))
INLINE uint32_t dp4a_uu(uint32_t a, uint32_t b, uint32_t c) { return DOT4(uint8_t, uint8_t); }
INLINE uint32_t dp4a_us(uint32_t a, uint32_t b, uint32_t c) { return DOT4(uint8_t, int8_t); }
INLINE uint32_t dp4a_ss(uint32_t a, uint32_t b, uint32_t c) { return DOT4(int8_t, int8_t); }
#undef DOT4
/* a's two halves by the low two bytes of b; the high two come shifted down. */
#define DP2A(A, B, a, b, c)                                                                                                \
    ((c) + (uint32_t)((int32_t)(A)(a) * (int32_t)(B)(b)) + (uint32_t)((int32_t)(A)((a) >> 16) * (int32_t)(B)((b) >> 8)))

/* ---- funnel shifts of a (low) and b (high) by 0..32 ---- */
/* By n <= 32.  In 32 bits, because of 64 the compiler makes four vectors and products. */
INLINE uint32_t shf_l(uint32_t a, uint32_t b, uint32_t n) { return n > 31 ? a : b << (n & 31) | a >> 1 >> (31 - (n & 31)); }
INLINE uint32_t shf_r(uint32_t a, uint32_t b, uint32_t n) { return n > 31 ? b : a >> (n & 31) | b << 1 << (31 - (n & 31)); }

/* ---- prmt: bytes of {b, a}, 7..0 ---- */
INLINE uint32_t prmt_byte(uint32_t a, uint32_t b, uint32_t sel)
{
    uint32_t src = sel & 4 ? b : a;
    uint32_t x   = src >> 8 * (sel & 3) & 255;
    return sel & 8 ? (x & 128 ? 255 : 0) : x;
}

#define PRMT4(s0, s1, s2, s3)                                                                                              \
    (prmt_byte(a, b, s0) | prmt_byte(a, b, s1) << 8 | prmt_byte(a, b, s2) << 16 | prmt_byte(a, b, s3) << 24)
INLINE uint32_t prmt_idx(uint32_t a, uint32_t b, uint32_t c)
{
    return PRMT4(c & 15, c >> 4 & 15, c >> 8 & 15, c >> 12 & 15);
}
INLINE uint32_t prmt_f4e(uint32_t a, uint32_t b, uint32_t c)
{
    c &= 3;
    return PRMT4(c, c + 1, c + 2, c + 3);
}
INLINE uint32_t prmt_b4e(uint32_t a, uint32_t b, uint32_t c)
{
    c &= 3;
    return PRMT4(c, (c + 7) & 7, (c + 6) & 7, (c + 5) & 7);
}
INLINE uint32_t prmt_rc8(uint32_t a, uint32_t b, uint32_t c)
{
    c &= 3;
    return PRMT4(c, c, c, c);
}
INLINE uint32_t prmt_ecl(uint32_t a, uint32_t b, uint32_t c)
{
    c &= 3;
    return PRMT4(c, MAX(c, 1u), MAX(c, 2u), 3);
}
INLINE uint32_t prmt_ecr(uint32_t a, uint32_t b, uint32_t c)
{
    c &= 3;
    return PRMT4(0, MIN(c, 1u), MIN(c, 2u), c);
}
INLINE uint32_t prmt_rc16(uint32_t a, uint32_t b, uint32_t c)
{
    c = (c & 1) * 2;
    return PRMT4(c, c + 1, c, c + 1);
}
#undef PRMT4

/* ---- integer conversion with clamping: T to D, whose range is lo..hi ---- */
INLINE int64_t  clamp_s64(int64_t a, int64_t lo, int64_t hi) { return a < lo ? lo : a > hi ? hi : a; }
INLINE uint64_t clamp_u64(uint64_t a, uint64_t hi) { return a > hi ? hi : a; }
#define IS_U64(T)        (sizeof(T) == 8 && !IS_SIGNED(T))
#define CLAMP(a, lo, hi) (IS_U64(T) ? (D)clamp_u64((uint64_t)(a), (hi)) : (D)clamp_s64((int64_t)(a), (lo), (hi)))
#define CLAMP_U64(a)     (IS_U64(T) ? (D)(a) : (D)clamp_s64((int64_t)(a), 0, INT64_MAX))
#define CLAMP_S64(a)     (IS_U64(T) ? (D)clamp_u64((uint64_t)(a), INT64_MAX) : (D)(a))

#endif
