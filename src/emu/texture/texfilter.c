/* SPDX-License-Identifier: Apache-2.0
 *
 * The linear filter, bit for bit as an H200 computes it (tests/texture):
 *
 *   weights    8 fraction bits, always 256 together.  In two dimensions the weight of (1, 1) is a * b / 256, rounded half up, and the
 *              others follow by subtraction.  In three, each slab of z does the same with its own total.
 *   floats     texels of non-zero weight are aligned to the largest exponent among them, cut to 4 bits below the mantissa's last,
 *              multiplied and added exactly, and rounded once, half away from zero (f16: to the 11 bits of a half)
 *   fractions  8-bit channels are widened to 16 bits, the sum is rounded to 16 bits, half up, and divided by the largest value
 *
 *   sRGB       8 bits, no guard, rounded as halves
 *
 * Three dimensions: each slab is a sum of its own; the two are aligned by cutting towards minus infinity.  With exponents far apart
 * 3 of 9446 sums differed from the card's in the last bit; with texels of similar size none did. */
#include "emu/texture/texfilter.h"

#include <math.h>
#include <string.h>

#include "base/bits.h"

enum { GUARD = 4, WEIGHT = 8 };

/* Shares a total between the two ends of an axis: the part of the far end, half up (or down). */
static uint32_t share(uint32_t total, uint32_t weight, bool half_up)
{
    return (total * weight + (half_up ? 128 : 127)) >> WEIGHT;
}

static void square(uint32_t total, uint32_t a, uint32_t b, uint32_t w[4])
{
    uint32_t right = share(total, a, true), left = total - right;
    w[3] = share(right, b, true);
    w[1] = right - w[3];
    w[2] = share(left, b, false);
    w[0] = left - w[2];
}

unsigned texfilter_weights(const TexAxis *x, const TexAxis *y, const TexAxis *z, uint32_t total, uint32_t w[8])
{
    uint32_t b = y->weight, c = z->weight, far = share(total, c, false);
    unsigned reach = 0;
    square(total - far, x->weight, b, w);
    if (far)
        square(far, x->weight, b, w + 4);
    else
        memset(w + 4, 0, 4 * sizeof *w);
    for (unsigned k = 0; k < 8; k++)
        if ((!(k & 1) || x->weight) && (!(k & 2) || b) && (!(k & 4) || c))
            reach |= 1u << k;
    return reach;
}

/* ---- floats ---- */

typedef struct FloatKind {
    int mantissa, bits, bias, most; /* most: the exponent of infinities and NaN */
} FloatKind;

static const FloatKind kinds[] = {{23, 32, 127, 255}, {10, 16, 15, 31}};

typedef struct Sum { /* acc * 2^(exponent - bias - mantissa - GUARD - WEIGHT) */
    int64_t acc;
    int     exponent;
    bool    any, negative; /* negative: no positive term */
} Sum;

static int exponent_of(const FloatKind *k, uint32_t v)
{
    return (int)(v >> k->mantissa) & k->most;
}

static bool is_negative(const FloatKind *k, uint32_t v)
{
    return v >> (k->bits - 1) & 1;
}

/* The mantissa with its hidden bit; denormals are 0 (f16: they are numbers). */
static uint64_t mantissa_of(const FloatKind *k, uint32_t v)
{
    uint64_t m = v & ((UINT32_C(1) << k->mantissa) - 1);
    return exponent_of(k, v) ? m | UINT64_C(1) << k->mantissa : k->bits == 16 ? m : 0;
}

static Sum slab_sum(const FloatKind *k, const uint32_t *v, const uint32_t *w, unsigned n)
{
    Sum s = {.negative = true};
    for (unsigned i = 0; i < n; i++)
        if (w[i]) {
            int e      = exponent_of(k, v[i]) ? exponent_of(k, v[i]) : 1;
            s.exponent = s.any && s.exponent > e ? s.exponent : e;
            s.any      = true;
            s.negative = s.negative && is_negative(k, v[i]);
        }
    for (unsigned i = 0; i < n; i++) {
        int e = exponent_of(k, v[i]) ? exponent_of(k, v[i]) : 1, shift = s.exponent - e;
        if (!w[i] || shift > 40)
            continue;
        int64_t term = (int64_t)((mantissa_of(k, v[i]) << GUARD >> shift) * w[i]);
        s.acc += is_negative(k, v[i]) ? -term : term;
    }
    return s;
}

static Sum join(Sum a, Sum b)
{
    if (!a.any || !b.any)
        return a.any ? a : b;
    if (a.exponent < b.exponent) {
        Sum t = a;
        a = b, b = t;
    }
    int shift = a.exponent - b.exponent;
    a.acc += b.acc >> (shift > 62 ? 62 : shift);
    a.negative = a.negative && b.negative;
    return a;
}

/* One rounding, half away from zero. */
static double round_sum(const FloatKind *k, Sum s)
{
    uint64_t m     = (uint64_t)(s.acc < 0 ? -s.acc : s.acc);
    int      scale = s.exponent - k->bias - k->mantissa - GUARD - WEIGHT;
    if (m == 0)
        return s.negative ? -0.0 : 0.0;
    int unit = 63 - __builtin_clzll(m) + scale; /* exponent of the value */
    int last = (unit < 1 - k->bias ? 1 - k->bias : unit) - k->mantissa;
    int drop = last - scale;
    if (drop > 0)
        m = drop > 63 ? 0 : (m + (UINT64_C(1) << (drop - 1))) >> drop;
    double r = ldexp((double)m, drop > 0 ? last : scale);
    return s.acc < 0 ? -r : r;
}

/* Infinities and NaN: 0 none, 1 +infinity, 2 -infinity, 3 NaN. */
static unsigned special(const FloatKind *k, const uint32_t *v, unsigned n, unsigned reach)
{
    unsigned r = 0;
    for (unsigned i = 0; i < n; i++)
        if ((reach >> i & 1) && exponent_of(k, v[i]) == k->most) {
            bool nan = v[i] & ((UINT32_C(1) << k->mantissa) - 1);
            r |= nan ? 3 : is_negative(k, v[i]) ? 2 : 1;
        }
    return r;
}

static uint32_t float_sum(const FloatKind *k, const uint32_t *v, const uint32_t *w, unsigned n, unsigned reach)
{
    if (w[0] == 1 << WEIGHT && k->bits == 32 && reach == 1 && exponent_of(k, v[0]) != k->most)
        return exponent_of(k, v[0]) ? v[0] : v[0] & UINT32_C(0x80000000); /* one texel has all the weight */
    unsigned odd = special(k, v, n, reach);
    if (odd)
        return odd == 1 ? 0x7f800000 : odd == 2 ? 0xff800000 : k->bits == 16 ? 0x7fffe000 : 0x7fffffff;
    Sum s = slab_sum(k, v, w, n < 4 ? n : 4);
    for (unsigned i = 4; i < n; i += 4)
        s = join(s, slab_sum(k, v + i, w + i, 4));
    return f32_bits((float)round_sum(k, s));
}

/* ---- light ---- */

/* Aligned to the largest exponent with 8 bits and no guard, rounded to the 11 bits of a half. */
static float light_sum(const uint32_t *v, const uint32_t *w, unsigned n)
{
    int     top = 0;
    int64_t acc = 0;
    for (unsigned i = 0; i < n; i++)
        if (w[i] && (v[i] & LIGHT_VALUE)) {
            int bits = 32 - __builtin_clz(v[i] & LIGHT_VALUE) + ((v[i] & LIGHT_RAISED) != 0);
            top      = bits > top ? bits : top;
        }
    for (unsigned i = 0; i < n; i++)
        acc += (int64_t)((uint64_t)(v[i] & LIGHT_VALUE) << 8 >> top) * w[i];
    Sum s      = {.acc = acc, .any = true}; /* acc * 2^(top - 8 - 14 - WEIGHT) */
    s.exponent = top - 8 - 14 + kinds[1].bias + kinds[1].mantissa + GUARD;
    return (float)round_sum(&kinds[1], s);
}

/* ---- fractions ---- */

static float fraction_sum(TexArithmetic a, const uint32_t *v, const uint32_t *w, unsigned n)
{
    int64_t s = 0;
    for (unsigned i = 0; i < n; i++)
        s += (int64_t)(int32_t)v[i] * w[i];
    switch (a) {
    case TEX_ARITH_U8: return (float)((double)((s * 257 + 128) >> 8) / 65535.0);
    case TEX_ARITH_U16: return (float)((double)((s + 128) >> 8) / 65535.0);
    case TEX_ARITH_S16: {
        int64_t r = (s + 128) >> 8;
        return (float)((double)(r < -32767 ? -32767 : r) / 32767.0);
    }
    default: s += (s + 64 + 16 * (s >> 12)) >> 7; return (float)((double)(s < -32767 ? -32767 : s) / 32767.0);
    }
}

uint32_t texfilter_sum(TexArithmetic a, const uint32_t *v, const uint32_t *w, unsigned n, unsigned reach)
{
    if (a == TEX_ARITH_LIGHT)
        return f32_bits(light_sum(v, w, n));
    return a == TEX_ARITH_F32 || a == TEX_ARITH_F16 ? float_sum(&kinds[a == TEX_ARITH_F16], v, w, n, reach)
                                                    : f32_bits(fraction_sum(a, v, w, n));
}
