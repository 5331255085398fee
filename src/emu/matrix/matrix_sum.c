/* SPDX-License-Identifier: Apache-2.0
 *
 * The arithmetic of matrix instructions: what one element of D is, bit for bit, of any input.  exec/matrix.c computes the same,
 * faster, of most.
 *
 * Floating point up to f32, as measured on the card (docs/matrix.md):
 *   1. Products are exact: a significand and an exponent, never normalised; a subnormal has the smallest exponent.
 *   2. The largest exponent among the non-zero products of a step and the accumulator is found.  Each term is brought to a fixed-point
 *      number with `fraction` bits below that exponent; what falls off is cut, not rounded.
 *   3. The fixed-point sum is exact, so order within a step plays no part.
 *   4. It is cut to `keep` bits (towards zero), or rounded to nearest even to an f16, and is the accumulator of the next step.
 * NaN in, or infinities that contradict each other, give the one NaN 0x7fffffff (f16: 0x7fff). */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "emu/matrix/matrix.h"

enum { NO_EXPONENT = -4000 }; /* of zero: below every other */

typedef struct Number { /* sig * 2^(exp - 23) */
    int64_t sig;
    int     exp;
} Number;

static Number number_of(float x, int least)
{
    uint32_t b = f32_bits(x), e = b >> 23 & 255;
    int64_t  sig = (b & 0x7fffff) | (e ? 0x800000 : 0);
    int      exp = (e ? (int)e : 1) - 127;
    if (sig == 0)
        return (Number){0, NO_EXPONENT};
    if (exp < least) {
        sig >>= least - exp; /* zeros: the format has no such bits */
        exp = least;
    }
    return (Number){b >> 31 ? -sig : sig, exp};
}

/* ---- one step ---- */

/* sum * 2^(exp - fraction), exactly */
typedef struct Fixed {
    int64_t sum;
    int     exp;
} Fixed;

/* Magnitudes are shifted: cutting is towards zero. */
static int64_t align(int64_t sig, int right)
{
    int64_t mag = sig < 0 ? -sig : sig;
    mag         = right > 62 ? 0 : right >= 0 ? mag >> right : mag << -right;
    return sig < 0 ? -mag : mag;
}

static Fixed add_step(const MatrixRule *r, const Number *a, const Number *b, Number c)
{
    int     most = c.exp;
    int64_t sum  = 0;
    for (unsigned i = 0; i < r->step; i++) {
        int exp = a[i].exp + b[i].exp;
        most    = exp > most ? exp : most;
    }
    if (most <= NO_EXPONENT / 2)
        return (Fixed){0, 0};
    for (unsigned i = 0; i < r->step; i++)
        sum += align(a[i].sig * b[i].sig, 46 - r->fraction + most - (a[i].exp + b[i].exp));
    sum += align(c.sig, 23 - r->fraction + most - c.exp);
    return (Fixed){sum, most};
}

/* To a format of mbits and the f32's or f16's exponents; nearest: to nearest even, else towards zero. */
static uint32_t pack(Fixed x, int fraction, unsigned ebits, unsigned mbits, bool nearest)
{
    int      bias = (1 << (ebits - 1)) - 1;
    uint64_t mag  = x.sum < 0 ? 0 - (uint64_t)x.sum : (uint64_t)x.sum;
    uint32_t sign = x.sum < 0 ? 1u << (ebits + mbits) : 0, inf = ((1u << ebits) - 1) << mbits;
    if (mag == 0)
        return 0;
    int top = 63 - __builtin_clzll(mag), e = x.exp - fraction + top;
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

typedef struct Signs {
    bool nan, plus, minus;
} Signs;

static void see(Signs *s, bool infinite, bool nan, bool negative)
{
    s->nan |= nan;
    s->plus |= infinite && !negative;
    s->minus |= infinite && negative;
}

static bool present(const MatrixTile *a, unsigned row, unsigned k)
{
    return !(a->absent[k] >> row & 1);
}

/* Infinities and NaN among a step's terms: the result, or 0 when there are none. */
static uint32_t special_sum(const MatrixRule *r, const MatrixTile *a, unsigned row, const float *b, unsigned k0,
                            float c)
{
    Signs    s   = {0};
    uint32_t inf = r->half ? 0x7c00 : 0x7f800000;
    see(&s, isinf(c), isnan(c), signbit(c));
    for (unsigned k = k0; k < k0 + r->step; k++) {
        float x = a->a[k][row], y = b[k];
        if (!present(a, row, k) || (isfinite(x) && isfinite(y)))
            continue;
        bool nan = isnan(x) || isnan(y) || x == 0 || y == 0;
        see(&s, !nan, nan, signbit(x) != signbit(y));
    }
    if (s.nan || (s.plus && s.minus))
        return r->half ? 0x7fff : 0x7fffffff;
    return s.plus ? inf : s.minus ? inf | (r->half ? 0x8000 : 0x80000000) : 0;
}

static float float_of(uint32_t bits, bool half)
{
    return half ? (float)half_to_double((uint16_t)bits) : f32_of(bits);
}

static uint32_t result_of(Fixed sum, const MatrixRule *r)
{
    return r->half ? pack(sum, r->fraction, 5, 10, true)
                   : pack(sum, r->fraction, 8, r->keep - 1, false) << (24 - r->keep);
}

/* Two results added, to nearest. */
static uint32_t add(float x, float y, bool half)
{
    float sum = x + y;
    if (isnan(sum))
        return half ? 0x7fff : 0x7fffffff;
    return half ? half_from_double((double)sum) : f32_bits(sum);
}

uint32_t matrix_element(const MatrixRule *r, const MatrixTile *a, unsigned row, const float *b, float c)
{
    float    acc  = r->c_last ? 0 : c;
    uint32_t bits = 0;
    for (unsigned k0 = 0; k0 < r->terms; k0 += r->step) {
        Number na[MATRIX_TERMS], nb[MATRIX_TERMS];
        bits = special_sum(r, a, row, b, k0, acc);
        for (unsigned k = 0; k < r->step; k++) {
            na[k] = number_of(present(a, row, k0 + k) ? a->a[k0 + k][row] : 0, r->least_a);
            nb[k] = number_of(b[k0 + k], r->least_b);
        }
        bits = bits ? bits : result_of(add_step(r, na, nb, number_of(acc, r->least_c)), r);
        acc  = float_of(bits, r->half);
    }
    return r->c_last ? add(acc, c, r->half) : bits;
}

/* ---- the rules ---- */

static int least_exponent(Type t)
{
    return t == TY_F16 || t == TY_E5M2 ? -14 : t == TY_E4M3 ? -6 : -126;
}

static bool is_f8(Type t)
{
    return t == TY_E4M3 || t == TY_E5M2;
}

/* Cells of a sparse A are twice its elements. */
static unsigned step_of(const MatrixForm *f)
{
    unsigned terms = f->a == TY_TF32                          ? (f->unit == MATRIX_WMMA ? 4 : 8)
                     : f->unit == MATRIX_WGMMA && is_f8(f->a) ? 32
                                                              : 16;
    terms          = f->unit == MATRIX_MMA && is_f8(f->a) && f->k == 16 ? 8 : terms;
    terms *= f->sparse ? 2 : 1;
    return terms < f->k ? terms : f->k;
}

MatrixRule matrix_rule(const MatrixForm *f)
{
    bool       f8 = is_f8(f->a);
    MatrixRule r  = {.sum       = MATRIX_FLOATS,
                     .a         = f->a,
                     .b         = f->b,
                     .terms     = f->k,
                     .step      = step_of(f),
                     .fraction  = f8 && f->unit == MATRIX_WGMMA ? 13 : 25,
                     .keep      = f8 && f->unit == MATRIX_WGMMA ? 14 : 24,
                     .least_a   = least_exponent(f->a),
                     .least_b   = least_exponent(f->b),
                     .least_c   = least_exponent(f->c),
                     .wide      = f->a == TY_BF16 || f->a == TY_TF32,
                     .c_last    = f8 && f->unit == MATRIX_MMA,
                     .half      = f->d == TY_F16,
                     .satfinite = f->satfinite,
                     .is_and    = f->is_and};
    if (f->a == TY_B1)
        r.sum = MATRIX_BITS, r.terms = f->k / 32;
    else if (f->d == TY_S32)
        r.sum = MATRIX_WHOLE;
    else if (f->a == TY_F64)
        r.sum = MATRIX_F64;
    else if (f->a == TY_F16 && f->k == 4)
        r.sum = MATRIX_QUADS;
    return r;
}

bool matrix_in_order(const MatrixForm *f)
{
    return !is_f8(f->a) || f->unit == MATRIX_WGMMA;
}

/* mma turns 8-bit elements into halves, of each register first the lower two (sparse: of four), and multiplies those in two steps. */
unsigned matrix_place(const MatrixForm *f, unsigned i)
{
    unsigned some = f->sparse ? 4 : 2;
    if (matrix_in_order(f))
        return i;
    return i / some % 2 * (f->k / 2) + i / (2 * some) * some + i % some;
}
