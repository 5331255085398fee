/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of matrix instructions: what one element of D is, bit for bit.
 *
 * Floating point up to f32, as measured on the card (docs/matrix.md):
 *   1. Products are exact: a signed significand and an exponent, never normalised; a subnormal has the smallest exponent.
 *   2. The largest exponent among the non-zero products of a step and the accumulator is found.  Each term is brought to a fixed-point
 *      number with `fraction` bits below that exponent; what falls off is cut, not rounded.
 *   3. The fixed-point sum is exact, so order within a step plays no part.
 *   4. It is cut to an f32 (towards zero), or rounded to nearest even to an f16, and is the accumulator of the next step.
 * A step takes at most `terms` products.  f64 is a chain of fused multiply-adds, k ascending; whole numbers are exact.
 * NaN in, or infinities that contradict each other, give the one NaN 0x7fffffff (f16: 0x7fff). */
#include "emu/matrix.h"

#include <math.h>
#include <string.h>

#include "base/half.h"

enum { NO_EXPONENT = -4000 }; /* of zero: below every other */

typedef enum Class { FINITE, INFINITE, NOT_A_NUMBER } Class;

typedef struct Number { /* sig * 2^(exp - mantissa bits of its format) */
    int32_t sig, exp;
} Number;

typedef struct FloatFormat {
    unsigned ebits, mbits, unused;
    bool     has_inf;
} FloatFormat;

typedef struct Rule { /* how one type is added up */
    unsigned fraction, terms;
    bool     c_last; /* the accumulator is added to the products' sum afterwards, as two f32 numbers are */
} Rule;

static FloatFormat format_of(Type t)
{
    switch (t) {
    case TY_F16: return (FloatFormat){5, 10, 0, true};
    case TY_BF16: return (FloatFormat){8, 7, 0, true};
    case TY_TF32: return (FloatFormat){8, 10, 13, true};
    case TY_E4M3: return (FloatFormat){4, 3, 0, false};
    case TY_E5M2: return (FloatFormat){5, 2, 0, true};
    default: return (FloatFormat){8, 23, 0, true};
    }
}

static Rule rule_of(const MatrixForm *f)
{
    switch (f->a) {
    case TY_TF32: return (Rule){25, f->n == 8 ? 8 : 4, false}; /* wmma: in two steps */
    case TY_E4M3:
    case TY_E5M2: return (Rule){25, 16, true};
    default: return (Rule){25, 16, false};
    }
}

static Class decode(FloatFormat f, uint32_t bits, Number *out)
{
    bits >>= f.unused;
    uint32_t mant = bits & ((1u << f.mbits) - 1), e = bits >> f.mbits & ((1u << f.ebits) - 1),
             top     = (1u << f.ebits) - 1;
    int     bias     = (1 << (f.ebits - 1)) - 1;
    bool    negative = bits >> (f.ebits + f.mbits) & 1;
    int32_t sig      = (int32_t)(e ? mant | 1u << f.mbits : mant);
    out->sig         = negative ? -sig : sig;
    out->exp         = sig ? (e ? (int)e : 1) - bias : NO_EXPONENT;
    if (e != top)
        return FINITE;
    if (!f.has_inf)
        return mant == (1u << f.mbits) - 1 ? NOT_A_NUMBER : FINITE;
    return mant ? NOT_A_NUMBER : INFINITE;
}

/* ---- one step ---- */

/* sum * 2^(exp - fraction), exactly */
typedef struct Fixed {
    int64_t sum;
    int     exp;
} Fixed;

/* Magnitudes are shifted: cutting is towards zero. */
static inline int64_t align(int64_t sig, int left, int right)
{
    int64_t mag = (sig < 0 ? -sig : sig) << left;
    mag         = right > 62 ? 0 : mag >> right;
    return sig < 0 ? -mag : mag;
}

static Fixed add_step(Rule rule, unsigned product_bits, const Number *a, const Number *b, unsigned terms, Number c)
{
    int     most = c.exp, exp[MATRIX_MAX_K];
    int64_t sum  = 0;
    for (unsigned i = 0; i < terms; i++) {
        exp[i] = a[i].exp + b[i].exp;
        most   = exp[i] > most ? exp[i] : most;
    }
    if (most <= NO_EXPONENT / 2)
        return (Fixed){0, 0};
    for (unsigned i = 0; i < terms; i++)
        sum += align((int64_t)a[i].sig * b[i].sig, (int)(rule.fraction - product_bits), most - exp[i]);
    sum += align(c.sig, (int)rule.fraction - 23, most - c.exp);
    return (Fixed){sum, most};
}

/* To a format of mbits and the f32's or f16's exponents; nearest: to nearest even, else towards zero. */
static uint32_t pack(Fixed x, unsigned fraction, unsigned ebits, unsigned mbits, bool nearest)
{
    int      bias = (1 << (ebits - 1)) - 1;
    uint64_t mag  = x.sum < 0 ? 0 - (uint64_t)x.sum : (uint64_t)x.sum;
    uint32_t sign = x.sum < 0 ? 1u << (ebits + mbits) : 0, inf = ((1u << ebits) - 1) << mbits;
    if (mag == 0)
        return 0;
    int top = 63 - __builtin_clzll(mag), e = x.exp - (int)fraction + top;
    int keep = e >= 1 - bias ? (int)mbits : (int)mbits - (1 - bias - e); /* mantissa bits below the leading one */
    int drop = top - keep;
    if (drop > 62)
        return 0;
    uint64_t q = drop <= 0 ? mag << -drop : mag >> drop;
    if (nearest && drop > 0) {
        uint64_t half = UINT64_C(1) << (drop - 1), rest = mag & (2 * half - 1);
        q += rest > half || (rest == half && (q & 1));
    }
    if (q == 0)
        return 0;
    if (e > bias)
        return sign | inf;
    uint64_t bits = e >= 1 - bias ? q + ((uint64_t)(e + bias - 1) << mbits) : q;
    return sign | (uint32_t)(bits > inf ? inf : bits);
}

/* ---- one element of D ---- */

typedef struct Factor { /* A or B decoded */
    FloatFormat format;
    Number      n[MATRIX_MAX_M * 16];
    uint8_t     cls[MATRIX_MAX_M * 16];
    bool        special[MATRIX_MAX_M]; /* the row (column) has infinities or NaN */
} Factor;

static uint32_t factor_bits(const MatrixFactor *x, unsigned bytes, unsigned i)
{
    return bytes == 1 ? x->u8[i] : bytes == 2 ? x->u16[i] : x->u32[i];
}

/* The card turns 8-bit elements into halves, of each register first the lower two, and multiplies those in two steps. */
static unsigned place_of(Type t, unsigned i)
{
    return t == TY_E4M3 || t == TY_E5M2 ? i % 4 / 2 * 16 + i / 4 * 2 + i % 2 : i;
}

static void factor_decode(Factor *f, const MatrixFactor *x, Type t, unsigned rows, unsigned k)
{
    f->format = format_of(t);
    for (unsigned r = 0; r < rows; r++) {
        f->special[r] = false;
        for (unsigned i = 0; i < k; i++) {
            unsigned to = r * k + place_of(t, i);
            f->cls[to]  = (uint8_t)decode(f->format, factor_bits(x, type_bytes(t), r * k + i), &f->n[to]);
            f->special[r] |= f->cls[to] != FINITE;
        }
    }
}

typedef struct Signs {
    bool nan, plus, minus;
} Signs;

static void see(Signs *s, bool infinite, bool nan, bool negative)
{
    s->nan |= nan;
    s->plus |= infinite && !negative;
    s->minus |= infinite && negative;
}

/* Infinities and NaN among the terms: the result, or 0 when there are none. */
static uint32_t special_sum(const Factor *a, unsigned ai, const Factor *b, unsigned bi, unsigned k, Class c_class,
                            Number c, bool half)
{
    Signs    s   = {0};
    uint32_t inf = half ? 0x7c00 : 0x7f800000;
    see(&s, c_class == INFINITE, c_class == NOT_A_NUMBER, c.sig < 0);
    for (unsigned i = 0; i < k; i++) {
        const Number *x = &a->n[ai + i], *y = &b->n[bi + i];
        unsigned      cx = a->cls[ai + i], cy = b->cls[bi + i];
        if (cx == FINITE && cy == FINITE)
            continue;
        bool nan = cx == NOT_A_NUMBER || cy == NOT_A_NUMBER || x->sig == 0 || y->sig == 0;
        see(&s, !nan, nan, (x->sig < 0) != (y->sig < 0));
    }
    if (s.nan || (s.plus && s.minus))
        return half ? 0x7fff : 0x7fffffff;
    return s.plus ? inf : s.minus ? inf | (half ? 0x8000 : 0x80000000) : 0;
}

/* The accumulator's format: an f16's significand gets an f32's width. */
static Class decode_acc(bool half, uint32_t bits, Number *out)
{
    Class c = decode(format_of(half ? TY_F16 : TY_F32), bits, out);
    out->sig *= half ? 1 << 13 : 1;
    return c;
}

static uint32_t add_f32(uint32_t x, uint32_t y)
{
    float a, b;
    memcpy(&a, &x, 4);
    memcpy(&b, &y, 4);
    a += b;
    memcpy(&x, &a, 4);
    return x;
}

/* Finite terms only. */
static uint32_t sum_steps(Rule rule, const Factor *a, unsigned ai, const Factor *b, unsigned bi, unsigned k, Number c,
                          uint32_t c_bits, bool half)
{
    uint32_t bits = 0;
    if (rule.c_last)
        c = (Number){0, NO_EXPONENT};
    for (unsigned k0 = 0; k0 < k; k0 += rule.terms) {
        unsigned terms = k - k0 < rule.terms ? k - k0 : rule.terms;
        Fixed    sum   = add_step(rule, a->format.mbits + b->format.mbits, a->n + ai + k0, b->n + bi + k0, terms, c);
        bits           = half ? pack(sum, rule.fraction, 5, 10, true) : pack(sum, rule.fraction, 8, 23, false);
        (void)decode_acc(half, bits, &c);
    }
    return rule.c_last ? add_f32(bits, c_bits) : bits;
}

static void multiply_float(const MatrixForm *f, const MatrixFactor *a, const MatrixFactor *b, const MatrixAcc *c,
                           MatrixAcc *d)
{
    bool   c_half = f->c == TY_F16, d_half = f->d == TY_F16;
    Rule   rule = rule_of(f);
    Factor fa, fb;
    factor_decode(&fa, a, f->a, f->m, f->k);
    factor_decode(&fb, b, f->b, f->n, f->k);
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++) {
            unsigned at = i * f->n + j, ai = i * f->k, bi = j * f->k;
            uint32_t c_bits = c_half ? c->u16[at] : c->u32[at], bits = 0;
            Number   acc;
            Class    cls = decode_acc(c_half, c_bits, &acc);
            if (cls != FINITE || fa.special[i] || fb.special[j])
                bits = special_sum(&fa, ai, &fb, bi, f->k, cls, acc, d_half);
            if (bits == 0)
                bits = sum_steps(rule, &fa, ai, &fb, bi, f->k, acc, c_bits, d_half);
            if (d_half)
                d->u16[at] = (uint16_t)bits;
            else
                d->u32[at] = bits;
        }
}

/* ---- the oldest form, m8n8k4: f32 arithmetic, the accumulator last ---- */

static float widen(uint32_t bits, bool half)
{
    float x;
    if (half)
        return (float)half_to_double((uint16_t)bits);
    memcpy(&x, &bits, 4);
    return x;
}

static void multiply_chain(const MatrixForm *f, const MatrixFactor *a, const MatrixFactor *b, const MatrixAcc *c,
                           MatrixAcc *d)
{
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++) {
            unsigned at  = i * f->n + j;
            float    sum = 0;
            for (unsigned k = 0; k < f->k; k++)
                sum = fmaf(widen(a->u16[i * f->k + k], true), widen(b->u16[j * f->k + k], true), sum);
            sum += widen(f->c == TY_F16 ? c->u16[at] : c->u32[at], f->c == TY_F16);
            if (f->d == TY_F16)
                d->u16[at] = half_from_double((double)sum);
            else if (isnan(sum))
                d->u32[at] = 0x7fffffff;
            else
                memcpy(&d->u32[at], &sum, 4);
        }
}

/* ---- the others ---- */

/* Of several NaN the factor of B comes first, then the accumulator, then the factor of A; it is handed on, quiet. */
static double fma_f64(double a, double b, double c)
{
    double   first = isnan(b) ? b : isnan(c) ? c : a, r = fma(a, b, c);
    uint64_t bits;
    if (!isnan(r))
        return r;
    memcpy(&bits, &first, 8);
    bits = isnan(first) ? bits | UINT64_C(1) << 51 : UINT64_C(0xfff8000000000000);
    memcpy(&r, &bits, 8);
    return r;
}

static void multiply_double(const MatrixForm *f, const MatrixFactor *a, const MatrixFactor *b, const MatrixAcc *c,
                            MatrixAcc *d)
{
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++) {
            double x, y, acc;
            memcpy(&acc, &c->u64[i * f->n + j], 8);
            for (unsigned k = 0; k < f->k; k++) {
                memcpy(&x, &a->u64[i * f->k + k], 8);
                memcpy(&y, &b->u64[j * f->k + k], 8);
                acc = fma_f64(x, y, acc);
            }
            memcpy(&d->u64[i * f->n + j], &acc, 8);
        }
}

static int64_t dot_whole(const uint8_t *a, bool a_signed, const uint8_t *b, bool b_signed, unsigned k)
{
    int32_t sum = 0;
    for (unsigned i = 0; i < k; i++)
        sum += (a_signed ? (int8_t)a[i] : a[i]) * (b_signed ? (int8_t)b[i] : b[i]);
    return sum;
}

static int64_t dot_bits(const uint8_t *a, const uint8_t *b, unsigned bytes, bool is_and)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < bytes; i++)
        sum += __builtin_popcount(is_and ? a[i] & b[i] : a[i] ^ b[i]);
    return sum;
}

static void multiply_whole(const MatrixForm *f, bool is_and, const MatrixFactor *a, const MatrixFactor *b,
                           const MatrixAcc *c, MatrixAcc *d)
{
    bool     bits = f->a == TY_B1;
    unsigned step = bits ? f->k / 8 : f->k;
    for (unsigned i = 0; i < f->m; i++)
        for (unsigned j = 0; j < f->n; j++) {
            const uint8_t *x = &a->u8[i * step], *y = &b->u8[j * step];
            int64_t        sum = (int32_t)c->u32[i * f->n + j];
            sum += bits ? dot_bits(x, y, step, is_and)
                        : dot_whole(x, type_kind(f->a) == 's', y, type_kind(f->b) == 's', step);
            if (f->satfinite)
                sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
            d->u32[i * f->n + j] = (uint32_t)sum;
        }
}

void matrix_multiply(const MatrixForm *f, bool is_and, const MatrixFactor *a, const MatrixFactor *b, const MatrixAcc *c,
                     MatrixAcc *d)
{
    if (f->a == TY_F16 && f->k == 4)
        multiply_chain(f, a, b, c, d);
    else if (f->a == TY_F64)
        multiply_double(f, a, b, c, d);
    else if (f->d == TY_S32)
        multiply_whole(f, is_and, a, b, c, d);
    else
        multiply_float(f, a, b, c, d);
}
