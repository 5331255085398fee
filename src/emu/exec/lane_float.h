/* SPDX-License-Identifier: Apache-2.0
 *
 * Single and double precision helpers of isa.def's expressions, on one lane.
 *
 * Arithmetic is the host's, under the MXCSR that the FPMODE prefix set (directed rounding; .ftz as DAZ and FTZ).  NaN results of
 * arithmetic are canonical as on the hardware: one macro per type below.  min, max, abs, neg and the clamps move bits and do not see
 * DAZ: lowering flushes around them explicitly.
 * The .approx functions are computed in double precision and rounded once: inside the manual's bound, not the hardware's bits. */
#ifndef WW_EMU_EXEC_LANE_FLOAT_H
#define WW_EMU_EXEC_LANE_FLOAT_H

#include <math.h>

#include "base/bits.h"
#include "emu/exec/lane_int.h"

#define NAN_F32 0x7fffffffu
#define NAN_F64 0xfff8000000000000ull

#define BY_FLT(f, x) _Generic((x), float: f##_f32, double: f##_f64)

INLINE float  qn_f32(float x) { return x == x ? x : f32_of(NAN_F32); }
INLINE double qn_f64(double x) { return x == x ? x : f64_of(NAN_F64); }
#define QN(x) BY_FLT(qn, x)(x)

/* The result r of an operation on a, b, c.  A NaN is canonical in single precision; in double precision it is the first NaN among
 * the operands, quiet, with its sign and payload. */
#define QUIET_F64 0x0008000000000000ull
INLINE double quiet_f64(double x) { return f64_of(f64_bits(x) | QUIET_F64); }
INLINE float  nan_of_f32(float r, float a, float b, float c) { return (void)a, (void)b, (void)c, qn_f32(r); }
INLINE double nan_of_f64(double r, double a, double b, double c)
{
    double n = a != a ? quiet_f64(a) : b != b ? quiet_f64(b) : c != c ? quiet_f64(c) : f64_of(NAN_F64);
    return r == r ? r : n;
}
/* The same where r is what the host's instruction gave: x86 already hands on a lone NaN operand, quiet, and its own NaN is NAN_F64; only
 * which of several NaN comes first must be said, because the compiler may swap operands. */
INLINE float nan1_f32(float r, float a) { return (void)a, qn_f32(r); }
INLINE float nan2_f32(float r, float a, float b) { return (void)a, (void)b, qn_f32(r); }
INLINE float nan3_f32(float r, float a, float b, float c) { return nan_of_f32(r, a, b, c); }
#if defined(__SSE2__)
INLINE double nan1_f64(double r, double a) { return a != a ? quiet_f64(a) : r; }
INLINE double nan2_f64(double r, double a, double b) { return (void)b, nan1_f64(r, a); }
INLINE double nan3_f64(double r, double a, double b, double c) { return (void)c, nan1_f64(nan1_f64(r, b), a); }
#else
INLINE double nan1_f64(double r, double a) { return nan_of_f64(r, a, a, a); }
INLINE double nan2_f64(double r, double a, double b) { return nan_of_f64(r, a, b, b); }
INLINE double nan3_f64(double r, double a, double b, double c) { return nan_of_f64(r, a, b, c); }
#endif
#define NAN1(r, a)       BY_FLT(nan1, a)((r), (a))
#define NAN2(r, a, b)    BY_FLT(nan2, a)((r), (a), (b))
#define NAN3(r, a, b, c) BY_FLT(nan3, a)((r), (a), (b), (c))

INLINE float  fma_f32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma_f64(double a, double b, double c) { return __builtin_fma(a, b, c); }
#define FMA(a, b, c) BY_FLT(fma, a)((a), (b), (c))

INLINE float  sqrt_f32(float x) { return __builtin_sqrtf(x); }
INLINE double sqrt_f64(double x) { return __builtin_sqrt(x); }
#define SQRT(x) BY_FLT(sqrt, x)(x)

/* ---- sign and class ---- */
#define SIGN_F32 0x80000000u
#define SIGN_F64 0x8000000000000000ull
#define INF_F32  0x7f800000u
#define INF_F64  0x7ff0000000000000ull
#define MIN_F32  0x00800000u /* smallest normal */
#define MIN_F64  0x0010000000000000ull

#define CLASSES(T, U, t, SIGN, INF, LEAST)                                                                                 \
    INLINE T   fabs_##t(T x) { return t##_of(t##_bits(x) & ~SIGN); }                                                       \
    INLINE T   fneg_##t(T x) { return t##_of(t##_bits(x) ^ SIGN); }                                                        \
    INLINE U   mag_##t(T x) { return t##_bits(x) & ~SIGN; }                                                                \
    INLINE T   copysign_##t(T s, T x) { return t##_of((t##_bits(x) & ~SIGN) | (t##_bits(s) & SIGN)); }                     \
    INLINE bool is_nan_##t(T x) { return mag_##t(x) > INF; }                                                               \
    INLINE bool is_inf_##t(T x) { return mag_##t(x) == INF; }                                                              \
    INLINE bool is_finite_##t(T x) { return mag_##t(x) < INF; }                                                            \
    INLINE bool is_normal_##t(T x) { return mag_##t(x) == 0 || mag_##t(x) - LEAST < INF - LEAST; }                         \
    INLINE bool is_subnormal_##t(T x) { return mag_##t(x) - 1 < LEAST - 1; }                                               \
    INLINE T   fflush_##t(T x) { return mag_##t(x) < LEAST ? t##_of(t##_bits(x) & SIGN) : x; }
CLASSES(float, uint32_t, f32, SIGN_F32, INF_F32, MIN_F32)
CLASSES(double, uint64_t, f64, SIGN_F64, INF_F64, MIN_F64)
#undef CLASSES
#define IS_NAN(x)       BY_FLT(is_nan, x)(x)
#define IS_INF(x)       BY_FLT(is_inf, x)(x)
#define IS_FINITE(x)    BY_FLT(is_finite, x)(x)
#define IS_NORMAL(x)    BY_FLT(is_normal, x)(x)
#define IS_SUBNORMAL(x) BY_FLT(is_subnormal, x)(x)
#define FABS(x)         BY_FLT(fabs, x)(x)
#define FNEG(x)         BY_FLT(fneg, x)(x)
#define FFLUSH(x)       BY_FLT(fflush, x)(x)
#define COPYSIGN(s, x)  BY_FLT(copysign, x)((s), (x))
/* c with the product of the signs of a and b; a NaN stays as it is. */
INLINE float xorsign_f32(float a, float b, float c)
{
    return is_nan_f32(c) ? c : f32_of((f32_bits(c) & ~SIGN_F32) | ((f32_bits(a) ^ f32_bits(b)) & SIGN_F32));
}

/* ---- min, max: a NaN loses against a number, -0 is less than +0.  On bits: DAZ must not change what is compared. ---- */
#define MINMAX(T, U, S, t, NAN)                                                                                            \
    INLINE S order_##t(T x) /* an integer in the order of the floats */                                                    \
    {                                                                                                                      \
        S i = (S)t##_bits(x);                                                                                              \
        return i < 0 ? (S)(~(U)i ^ ~((U)~(U)0 >> 1)) : i;                                                                  \
    }                                                                                                                      \
    INLINE T fmin_##t(T a, T b)                                                                                            \
    {                                                                                                                      \
        T r = order_##t(a) < order_##t(b) ? a : b;                                                                         \
        r   = is_nan_##t(a) ? b : is_nan_##t(b) ? a : r;                                                                   \
        return nan_of_##t(r, a, b, b);                                                                                     \
    }                                                                                                                      \
    INLINE T fmax_##t(T a, T b)                                                                                            \
    {                                                                                                                      \
        T r = order_##t(a) > order_##t(b) ? a : b;                                                                         \
        r   = is_nan_##t(a) ? b : is_nan_##t(b) ? a : r;                                                                   \
        return nan_of_##t(r, a, b, b);                                                                                     \
    }                                                                                                                      \
    INLINE T fmin_nan_##t(T a, T b)                                                                                        \
    {                                                                                                                      \
        T r = order_##t(a) < order_##t(b) ? a : b;                                                                         \
        return is_nan_##t(a) | is_nan_##t(b) ? t##_of(NAN) : r;                                                            \
    }                                                                                                                      \
    INLINE T fmax_nan_##t(T a, T b)                                                                                        \
    {                                                                                                                      \
        T r = order_##t(a) > order_##t(b) ? a : b;                                                                         \
        return is_nan_##t(a) | is_nan_##t(b) ? t##_of(NAN) : r;                                                            \
    }
MINMAX(float, uint32_t, int32_t, f32, NAN_F32)
MINMAX(double, uint64_t, int64_t, f64, NAN_F64)
#undef MINMAX
#define FMIN(a, b)     BY_FLT(fmin, a)((a), (b))
#define FMAX(a, b)     BY_FLT(fmax, a)((a), (b))
#define FMIN_NAN(a, b) BY_FLT(fmin_nan, a)((a), (b))
#define FMAX_NAN(a, b) BY_FLT(fmax_nan, a)((a), (b))

/* ---- clamps ---- */
#define FSAT(a)  ((a) > 0 ? ((a) < 1 ? (a) : (T)1) : (T)0)
#define FRELU(a) ((a) > 0 ? (a) : (a) == (a) ? (T)0 : QN(a))

/* ---- to integral values; only round_n depends on no mode, so that a prefix never reaches it ---- */
INLINE float  round_n_f32(float x) { return __builtin_rintf(x); }
INLINE double round_n_f64(double x) { return __builtin_rint(x); }
INLINE float  round_z_f32(float x) { return __builtin_truncf(x); }
INLINE double round_z_f64(double x) { return __builtin_trunc(x); }
INLINE float  round_m_f32(float x) { return __builtin_floorf(x); }
INLINE double round_m_f64(double x) { return __builtin_floor(x); }
INLINE float  round_p_f32(float x) { return __builtin_ceilf(x); }
INLINE double round_p_f64(double x) { return __builtin_ceil(x); }
#define ROUND_N(x) BY_FLT(round_n, x)(x)
#define ROUND_Z(x) BY_FLT(round_z, x)(x)
#define ROUND_M(x) BY_FLT(round_m, x)(x)
#define ROUND_P(x) BY_FLT(round_p, x)(x)

/* ---- float to integer D: towards zero, clamped; NaN gives 0, or the top bit when a 64-bit type takes part ---- */
#define F2I_LIMITS_u8  0, UINT8_MAX
#define F2I_LIMITS_s8  INT8_MIN, INT8_MAX
#define F2I_LIMITS_u16 0, UINT16_MAX
#define F2I_LIMITS_s16 INT16_MIN, INT16_MAX
#define F2I_LIMITS_u32 0, UINT32_MAX
#define F2I_LIMITS_s32 INT32_MIN, INT32_MAX
#define F2I_LIMITS_u64 0, UINT64_MAX
#define F2I_LIMITS_s64 INT64_MIN, INT64_MAX
#define F2I_NAN        ((D)(sizeof(T) == 8 || sizeof(D) == 8 ? 1ull << (BITS(D) - 1) : 0))
/* (T)hi may round up to 2^n, which is out of range as well: >= catches both. */
#define F2I_(a, lo, hi)                                                                                                    \
    ((a) != (a) ? F2I_NAN : (a) >= (T)(hi) ? (D)(hi) : (a) <= (T)(lo) ? (D)(lo) : (D)(a))
#define F2I_X(a, limits) F2I_(a, limits)
#define F2I(a, D_)       F2I_X(a, F2I_LIMITS_##D_)

/* ---- approximate functions ---- */
INLINE float div_approx_f32(float a, float b)
{
    /* Beyond 2^126 the reciprocal is flushed to zero: the quotient is 0, of inf it is NaN. */
    bool  huge = fabsf(b) > 0x1p126f && fabsf(b) <= 0x1.fffffep127f;
    float q    = (float)((double)a / (double)b);
    return huge ? a * copysignf(0.0f, b) : q;
}
INLINE float div_full_f32(float a, float b) { return (float)((double)a / (double)b); }
INLINE float sqrt_approx_f32(float a) { return (float)__builtin_sqrt((double)a); }

/* The .ftz.f64 forms see the upper 32 bits of the operand and give a result whose lower 32 are zero. */
INLINE double upper_f64(double x) { return f64_of(f64_bits(x) & 0xffffffff00000000ull); }
INLINE double upper_rn_f64(double x)
{
    return is_finite_f64(x) ? f64_of((f64_bits(x) + 0x80000000ull) & 0xffffffff00000000ull) : upper_f64(x);
}
INLINE double rcp_approx_f64(double a) { return qn_f64(fflush_f64(upper_rn_f64(1 / fflush_f64(upper_f64(a))))); }
INLINE double rsqrt_approx_f64(double a) { return qn_f64(1 / __builtin_sqrt(a)); }
INLINE double rsqrt_upper_f64(double a) { return qn_f64(upper_rn_f64(1 / __builtin_sqrt(fflush_f64(upper_f64(a))))); }

/* 2^n for n in -1022..1023. */
INLINE double pow2_f64(int32_t n) { return f64_of((uint64_t)(int64_t)(1023 + n) << 52); }

/* 2^x in double: x = n + f, |f| <= 1/2; the polynomial is e^(f ln 2) to the 11th power, relative error below 2^-43. */
INLINE double ex2_f64(double x)
{
    double c = x > 1000 ? 1000 : x < -1000 ? -1000 : x;
    double n = __builtin_rint(c), t = (c - n) * 0x1.62e42fefa39efp-1;
    double p = 1 + t * (1.0 / 11);
    p        = 1 + t * (1.0 / 10) * p;
    p        = 1 + t * (1.0 / 9) * p;
    p        = 1 + t * (1.0 / 8) * p;
    p        = 1 + t * (1.0 / 7) * p;
    p        = 1 + t * (1.0 / 6) * p;
    p        = 1 + t * (1.0 / 5) * p;
    p        = 1 + t * (1.0 / 4) * p;
    p        = 1 + t * (1.0 / 3) * p;
    p        = 1 + t * (1.0 / 2) * p;
    p        = 1 + t * p;
    return p * pow2_f64((int32_t)n);
}
INLINE float ex2_approx_f32(float a) { return a != a ? a : (float)ex2_f64((double)a); }

/* log2 of m * 2^e with m in [sqrt(1/2), sqrt(2)): 2 atanh(s) / ln 2 with s = (m - 1) / (m + 1), |s| < 0.172. */
INLINE double lg2_f64(double x)
{
    uint64_t u = f64_bits(x);
    int32_t  e = (int32_t)((u - 0x3fe6a09e667f3bcdull) >> 32) >> 20;
    double   m = f64_of(u - ((uint64_t)(int64_t)e << 52));
    double   s = (m - 1) / (m + 1), z = s * s;
    double   p = 1.0 / 17;
    p          = 1.0 / 15 + z * p;
    p          = 1.0 / 13 + z * p;
    p          = 1.0 / 11 + z * p;
    p          = 1.0 / 9 + z * p;
    p          = 1.0 / 7 + z * p;
    p          = 1.0 / 5 + z * p;
    p          = 1.0 / 3 + z * p;
    p          = 1 + z * p;
    return (double)e + s * p * 0x1.71547652b82fep+1;
}
INLINE float lg2_approx_f32(float a)
{
    float r = (float)lg2_f64((double)a);
    r       = a == 0 ? -INFINITY : r;
    r       = a < 0 ? NAN : r;
    return a == INFINITY || a != a ? a : r;
}

/* x - k pi/2 with pi/2 in three parts, for |x| < 2^30; beyond that the hardware's reduction has no digits left either. */
INLINE double trig_reduce(double x, double *k)
{
    *k = __builtin_rint(x * 0x1.45f306dc9c883p-1);
    return ((x - *k * 0x1.921fb54400000p+0) - *k * 0x1.0b4611a600000p-34) - *k * 0x1.3198a2e037073p-69;
}
INLINE double sin_poly(double r)
{
    double z = r * r;
    return r + r * z * (-1.0 / 6 + z * (1.0 / 120 + z * (-1.0 / 5040 + z * (1.0 / 362880 + z * (-1.0 / 39916800 + z * (1.0 / 6227020800))))));
}
INLINE double cos_poly(double r)
{
    double z = r * r;
    return 1 + z * (-1.0 / 2 + z * (1.0 / 24 + z * (-1.0 / 720 + z * (1.0 / 40320 + z * (-1.0 / 3628800 + z * (1.0 / 479001600 + z * (-1.0 / 87178291200)))))));
}
/* sin(x + q pi/2) */
INLINE double sin_quadrant(double x, int32_t q)
{
    double  c = fabs(x) < 0x1p30 ? x : 0, k;
    double  r = trig_reduce(c, &k);
    int32_t n = (int32_t)k + q;
    double  v = n & 1 ? cos_poly(r) : sin_poly(r);
    return n & 2 ? -v : v;
}
INLINE float sin_approx_f32(float a) { return fabsf(a) < INFINITY ? (a == 0 ? a : (float)sin_quadrant((double)a, 0)) : NAN; }
INLINE float cos_approx_f32(float a) { return fabsf(a) < INFINITY ? (float)sin_quadrant((double)a, 1) : NAN; }

INLINE double tanh_f64(double x)
{
    double e = ex2_f64(x * 0x1.71547652b82fep+1); /* e^(2x) */
    double t = 1 - 2 / (e + 1);
    return fabs(x) < 0x1p-9 ? x * (1 - x * x * (1.0 / 3)) : t;
}
INLINE float tanh_approx_f32(float a) { return a != a ? a : (float)tanh_f64((double)a); }

#endif
