/* SPDX-License-Identifier: Apache-2.0
 *
 * f16, bf16, tf32 and the 8-bit formats on one lane, in integer arithmetic and exact conversions, so that every result is rounded
 * once.
 *   f16   add, sub, mul: in float, whose 24 bits make the second rounding harmless (24 >= 2 * 11 + 2; products and subnormal sums are
 *         exact)
 *   bf16  add, sub, mul: in double (a float's exponent would underflow), then rounded to odd into a float, then to nearest
 *   fma   f16 in float, bf16 in double, where the product is exact; the sum's error (TwoSum) makes it round to odd
 * NaN results are 0x7fff (0x7f in 8 bits).  None of this runs under an FPMODE prefix: .ftz is explicit flushing. */
#ifndef WW_EMU_EXEC_LANE_HALF_H
#define WW_EMU_EXEC_LANE_HALF_H

#include "emu/exec/lane_float.h"

enum { NAN_HALF = 0x7fff, INF_F16 = 0x7c00, INF_BF16 = 0x7f80, ONE_F16 = 0x3c00, ONE_BF16 = 0x3f80 };

typedef enum Narrow { NARROW_RN, NARROW_RZ, NARROW_RM, NARROW_RP, NARROW_RNA } Narrow;

INLINE float f16_to_f32(uint16_t h)
{
    uint32_t m = h & 0x7fffu, sign = (uint32_t)(h & 0x8000u) << 16;
    uint32_t normal = (m << 13) + (m >= INF_F16 ? 224u << 23 : 112u << 23);
    float    sub    = (float)(int32_t)m * 0x1p-24f;
    return f32_of((m < 0x400 ? f32_bits(sub) : normal) | sign);
}

INLINE float bf16_to_f32(uint16_t h) { return f32_of((uint32_t)h << 16); }

/* The magnitude of float x in a format of ebits and mbits, rounded; the format's infinity pattern and above mean overflow. */
INLINE uint32_t narrow_mag(uint32_t x, uint32_t ebits, uint32_t mbits, Narrow mode)
{
    uint32_t mag = x & 0x7fffffffu, sign = x >> 31, e = mag >> 23;
    uint32_t first = 127 - ((1u << (ebits - 1)) - 1) + 1; /* a float's exponent field of the smallest normal */
    uint32_t frac = (mag & 0x7fffffu) | (e ? 0x800000u : 0), eff = e ? e : 1;
    uint32_t below = eff < first ? first - eff : 0;
    uint32_t shift = 23 - mbits + (below > 8 + mbits ? 8 + mbits : below);
    uint32_t q = frac >> shift, rem = frac & ((1u << shift) - 1), half = 1u << (shift - 1);
    uint32_t up;
    switch (mode) {
    case NARROW_RN:  up = rem + (q & 1) > half; break;
    case NARROW_RNA: up = rem >= half; break;
    case NARROW_RM:  up = sign & (rem != 0); break;
    case NARROW_RP:  up = (sign ^ 1) & (rem != 0); break;
    default:         up = 0; break;
    }
    return (eff > first ? (eff - first) << mbits : 0) + q + up;
}

/* Where an overflow goes: infinity, or the largest finite number, one below it. */
INLINE uint32_t overflow_to(uint32_t inf, uint32_t sign, Narrow mode)
{
    bool finite = mode == NARROW_RZ || (mode == NARROW_RM && !sign) || (mode == NARROW_RP && sign);
    return inf - finite;
}

INLINE uint16_t narrow_half(float f, uint32_t ebits, uint32_t mbits, Narrow mode)
{
    uint32_t x = f32_bits(f), sign = x >> 31, mag = x & 0x7fffffffu;
    uint32_t inf = ((1u << ebits) - 1) << mbits;
    uint32_t r   = narrow_mag(x, ebits, mbits, mode);
    r            = r >= inf ? overflow_to(inf, sign, mode) : r;
    r            = mag == INF_F32 ? inf : r;
    return (uint16_t)(mag > INF_F32 ? NAN_HALF : r | sign << 15);
}

/* To nearest, the common case, without variable shifts.  Below the normal range the addition of 0.5 rounds at bit 2^-24. */
INLINE uint16_t f16_nearest(float f)
{
    uint32_t x = f32_bits(f), mag = x & 0x7fffffffu, sign = x >> 16 & 0x8000u;
    uint32_t sub = f32_bits(f32_of(mag) + 0.5f) - 0x3f000000u;
    uint32_t nor = (mag - (112u << 23) + 0xfff + (mag >> 13 & 1)) >> 13;
    uint32_t r   = mag < (113u << 23) ? sub : nor;
    r            = mag >= (143u << 23) ? INF_F16 : r;
    return (uint16_t)(mag > INF_F32 ? NAN_HALF : r | sign);
}
INLINE uint16_t bf16_nearest(float f)
{
    uint32_t x = f32_bits(f), mag = x & 0x7fffffffu;
    return (uint16_t)(mag > INF_F32 ? NAN_HALF : (x + 0x7fff + (x >> 16 & 1)) >> 16);
}

INLINE uint16_t f32_to_f16(float f, Narrow mode) { return mode == NARROW_RN ? f16_nearest(f) : narrow_half(f, 5, 10, mode); }
INLINE uint16_t f32_to_bf16(float f, Narrow mode) { return mode == NARROW_RN ? bf16_nearest(f) : narrow_half(f, 8, 7, mode); }

/* tf32: a float whose low 13 bits are zero. */
INLINE float f32_to_tf32(float f, Narrow mode)
{
    uint32_t x = f32_bits(f), r = narrow_mag(x, 8, 10, mode) << 13;
    r          = is_finite_f32(f) ? r : INF_F32;
    uint32_t nan = mode == NARROW_RNA ? x : NAN_F32; /* rna keeps the upper bits as they are, even of a signalling NaN */
    return f32_of(is_nan_f32(f) ? nan & ~0x1fffu : r | (x & SIGN_F32));
}

/* ---- rounding to odd: the last bit is sticky, so that one more rounding to fewer bits is the only one ---- */
INLINE float f64_to_odd(double d)
{
    float    f    = (float)d;
    uint32_t u    = f32_bits(f);
    bool     away = fabs((double)f) > fabs(d);
    bool     fix  = (double)f != d && !(u & 1) && d == d;
    return f32_of(fix ? (away ? u - 1 : u + 1) : u);
}

/* A 64-bit magnitude with what a double cannot hold made sticky. */
INLINE uint64_t sticky_u64(uint64_t m) { return m >> 40 ? (m >> 16 | ((m & 0xffff) != 0)) << 16 : m; }
INLINE float    odd_u64(uint64_t a) { return f64_to_odd((double)sticky_u64(a)); }
INLINE float    odd_s64(int64_t a)
{
    double d = (double)sticky_u64(a < 0 ? 0 - (uint64_t)a : (uint64_t)a);
    return f64_to_odd(a < 0 ? -d : d);
}
INLINE float odd_u32(uint32_t a) { return f64_to_odd((double)a); }
INLINE float odd_s32(int32_t a) { return f64_to_odd((double)a); }
INLINE float odd_u16(uint16_t a) { return (float)a; }
INLINE float odd_s16(int16_t a) { return (float)a; }
INLINE float odd_u8(uint8_t a) { return (float)a; }
INLINE float odd_s8(int8_t a) { return (float)a; }
INLINE float odd_f32(float a) { return a; }
#define TO_ODD(a)                                                                                                          \
    _Generic((a), uint8_t: odd_u8, int8_t: odd_s8, uint16_t: odd_u16, int16_t: odd_s16, uint32_t: odd_u32,                 \
             int32_t: odd_s32, uint64_t: odd_u64, int64_t: odd_s64, float: odd_f32, double: f64_to_odd)(a)

/* p + c rounded to odd. */
#define ADD_ODD(T, U, t)                                                                                                   \
    INLINE T add_odd_##t(T p, T c)                                                                                         \
    {                                                                                                                      \
        T    s = p + c, q = s - p;                                                                                         \
        T    err = (p - (s - q)) + (c - q);                                                                                \
        U    u   = t##_bits(s);                                                                                            \
        bool fix = is_finite_##t(s) && err != 0 && !(u & 1);                                                               \
        return t##_of(fix ? ((err > 0) == (s > 0) ? u + 1 : u - 1) : u);                                                   \
    }
ADD_ODD(float, uint32_t, f32)
ADD_ODD(double, uint64_t, f64)
#undef ADD_ODD

/* ---- arithmetic ---- */
#define F16_BIN(name, op)                                                                                                  \
    INLINE uint16_t f16_##name(uint16_t a, uint16_t b) { return f32_to_f16(f16_to_f32(a) op f16_to_f32(b), NARROW_RN); }   \
    INLINE uint16_t bf16_##name(uint16_t a, uint16_t b)                                                                    \
    {                                                                                                                      \
        return f32_to_bf16(f64_to_odd((double)bf16_to_f32(a) op (double)bf16_to_f32(b)), NARROW_RN);                       \
    }
F16_BIN(add, +)
F16_BIN(sub, -)
F16_BIN(mul, *)
#undef F16_BIN

INLINE uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c)
{
    return f32_to_f16(add_odd_f32(f16_to_f32(a) * f16_to_f32(b), f16_to_f32(c)), NARROW_RN);
}
/* 0 where a factor is the NaN that means out of bounds: 0x7ff7, of either sign, as an H200 has it. */
INLINE bool is_oob(uint16_t x) { return (x & 0x7fff) == 0x7ff7; }
#define OOB(a, b, r) (T)(is_oob(a) | is_oob(b) ? 0 : (r))

INLINE uint16_t bf16_fma(uint16_t a, uint16_t b, uint16_t c)
{
    double p = (double)bf16_to_f32(a) * (double)bf16_to_f32(b);
    return f32_to_bf16(f64_to_odd(add_odd_f64(p, (double)bf16_to_f32(c))), NARROW_RN);
}

/* ---- min, max, clamps; inf is the format's infinity ---- */
INLINE int16_t order_half(uint16_t x) { return (int16_t)(x & 0x8000 ? x ^ 0x7fff : x); }
INLINE bool    half_nan(uint16_t x, uint16_t inf) { return (x & 0x7fff) > inf; }

INLINE uint16_t half_min(uint16_t a, uint16_t b, uint16_t inf)
{
    uint16_t r = order_half(a) < order_half(b) ? a : b;
    r          = half_nan(a, inf) ? b : half_nan(b, inf) ? a : r;
    return half_nan(r, inf) ? NAN_HALF : r;
}
INLINE uint16_t half_max(uint16_t a, uint16_t b, uint16_t inf)
{
    uint16_t r = order_half(a) > order_half(b) ? a : b;
    r          = half_nan(a, inf) ? b : half_nan(b, inf) ? a : r;
    return half_nan(r, inf) ? NAN_HALF : r;
}
INLINE uint16_t half_min_nan(uint16_t a, uint16_t b, uint16_t inf)
{
    uint16_t r = order_half(a) < order_half(b) ? a : b;
    return half_nan(a, inf) | half_nan(b, inf) ? NAN_HALF : r;
}
INLINE uint16_t half_max_nan(uint16_t a, uint16_t b, uint16_t inf)
{
    uint16_t r = order_half(a) > order_half(b) ? a : b;
    return half_nan(a, inf) | half_nan(b, inf) ? NAN_HALF : r;
}
INLINE uint16_t half_sat(uint16_t a, uint16_t inf, uint16_t one)
{
    uint16_t r = a > one ? one : a; /* of the positive ones */
    return a & 0x8000 || half_nan(a, inf) ? 0 : r;
}
INLINE uint16_t half_relu(uint16_t a, uint16_t inf)
{
    uint16_t r = a & 0x8000 ? 0 : a;
    return half_nan(a, inf) ? NAN_HALF : r;
}
INLINE uint16_t half_abs(uint16_t a, uint16_t inf) { return half_nan(a, inf) ? NAN_HALF : a & 0x7fff; }
INLINE uint16_t half_neg(uint16_t a, uint16_t inf) { return half_nan(a, inf) ? NAN_HALF : a ^ 0x8000; }
INLINE uint16_t half_flush(uint16_t a, uint16_t least) { return (a & 0x7fff) < least ? a & 0x8000 : a; }

/* ---- 8-bit formats: e4m3 has no infinity (0x7f is NaN, 0x7e = 448 the largest), e5m2 is IEEE-like ---- */
INLINE uint16_t f32_to_e4m3(float f)
{
    uint32_t x = f32_bits(f), r = narrow_mag(x, 4, 3, NARROW_RN);
    r          = r > 0x7e ? 0x7e : r;
    return (uint16_t)(is_nan_f32(f) ? 0x7f : r | x >> 31 << 7);
}
INLINE uint16_t f32_to_e5m2(float f)
{
    uint32_t x = f32_bits(f), r = narrow_mag(x, 5, 2, NARROW_RN);
    r          = r > 0x7b ? 0x7b : r;
    return (uint16_t)(is_nan_f32(f) ? 0x7f : r | x >> 31 << 7);
}
INLINE uint16_t e4m3_to_f16(uint8_t v)
{
    uint32_t m = v & 0x7fu, sign = (v & 0x80u) << 8;
    float    sub = (float)(int32_t)m * 0x1p-9f;
    uint32_t h   = m < 8 ? f32_to_f16(sub, NARROW_RN) : (m << 7) + (8u << 10);
    return (uint16_t)(m == 0x7f ? NAN_HALF : h | sign);
}
INLINE uint16_t e5m2_to_f16(uint8_t v) { return (uint16_t)((v & 0x7f) > 0x7c ? NAN_HALF : (uint16_t)(v << 8)); }
/* Pairs: a is the upper half. */
#define PAIR8(cvt, a, b)  ((uint16_t)((cvt)(a) << 8 | (cvt)(b)))
#define PAIR16(cvt, x)    ((uint32_t)(cvt)((uint8_t)((x) >> 8)) << 16 | (cvt)((uint8_t)(x)))

#endif
