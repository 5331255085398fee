/* SPDX-License-Identifier: Apache-2.0
 *
 * Inputs of the matrix sweep: deterministic, integer arithmetic only, the same on every host.  A trial has a style:
 *   0 plain      exponents -4 to 0               5 small      subnormals, and results about the smallest normal
 *   1 wide       half of the exponent range      6 special    some infinities, NaN, zeros, largest, smallest
 *   2 moderate   exponents -3 to 3, C -6 to 6    7 large      results about the largest number
 *   3 cancel     equal magnitudes, any sign      8 one large  a few ones among numbers 2^-9 to 2^-16
 *   4 sparse     powers of two and many zeros    9 large C    C far above the products
 * Whole numbers: 0 any bits, 1 extremes, 2 any bits and C at the ends of its range. */
#include "matrix.h"

#include <string.h>

typedef struct Rng {
    uint64_t s;
} Rng;

static uint64_t next(Rng *r)
{
    uint64_t z = r->s += 0x9e3779b97f4a7c15u;
    z          = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z          = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int between(Rng *r, int lo, int hi)
{
    return lo + (int)(next(r) % (uint64_t)(hi - lo + 1));
}

/* (-1)^sign * 1.mant * 2^e, as near as the format has it: subnormals below, the largest exponent above. */
static uint64_t compose(const Format *f, bool sign, int e, uint64_t mant)
{
    int      bias = (1 << (f->ebits - 1)) - 1, emin = 1 - bias, emax = f->has_inf ? bias : bias + 1;
    uint64_t bits;
    mant &= (UINT64_C(1) << f->mbits) - 1;
    e = e > emax ? emax : e;
    if (e >= emin)
        bits = (uint64_t)(e + bias) << f->mbits | mant;
    else if (emin - e > (int)f->mbits)
        bits = 0;
    else
        bits = (mant | UINT64_C(1) << f->mbits) >> (emin - e);
    if (!f->has_inf && bits == (UINT64_C(1) << (f->ebits + f->mbits)) - 1)
        bits--; /* e4m3's NaN */
    return bits | (uint64_t)sign << (f->ebits + f->mbits);
}

static uint64_t special(const Format *f, Rng *r)
{
    uint64_t top = (UINT64_C(1) << (f->ebits + f->mbits)) - 1, inf = top - ((UINT64_C(1) << f->mbits) - 1);
    uint64_t sign = (next(r) & 1) << (f->ebits + f->mbits);
    inf           = f->has_inf ? inf : top;
    switch (between(r, 0, 6)) {
    case 0:
    case 1: return inf | sign;
    case 2: return inf | sign | (f->has_inf ? 1 + next(r) % (top - inf) : 0);
    case 3: return (inf - 1) | sign;
    case 4: return 1 | sign;
    default: return sign;
    }
}

static int exponent(const Format *f, unsigned style, bool is_c, Rng *r)
{
    int bias = (1 << (f->ebits - 1)) - 1, emin = 1 - bias;
    switch (style) {
    case 0: return between(r, -4, 0);
    case 1: return is_c ? between(r, emin / 2, bias / 2) : between(r, emin / 2 - 3, bias / 2);
    case 2: return is_c ? between(r, -6, 6) : between(r, -3, 3);
    case 3: return is_c ? between(r, -3, 5) : 0;
    case 4: return is_c ? between(r, -20, 6) : between(r, -14, 5);
    case 5:
        if (f->ebits >= 8)
            return is_c ? between(r, 2 * (emin / 2) - (int)f->mbits, emin + 4)
                        : between(r, emin / 2 - 14, emin / 2 + 4);
        return is_c ? between(r, 3 * emin, emin) : between(r, emin - (int)f->mbits, emin + 3);
    case 6: return between(r, -4, 0);
    case 7: return is_c ? between(r, bias - 3, bias) : between(r, bias / 2 - 2, bias / 2);
    case 8: return is_c ? between(r, -24, 2) : next(r) % 8 ? between(r, -16, -9) : 0;
    default: return is_c ? between(r, 0, 12) : between(r, -12, -4);
    }
}

static uint64_t draw_float(const Format *f, unsigned style, bool is_c, Rng *r)
{
    bool     sign = next(r) & 1;
    uint64_t mant = next(r);
    int      e    = exponent(f, style, is_c, r);
    if (style == 6 && next(r) % 48 == 0)
        return special(f, r);
    if (style == 3 && !is_c)
        mant &= 1;
    if (style == 4 && !is_c) {
        mant = 0;
        if (next(r) % 10 < 7)
            return compose(f, sign, -10000, 0);
    }
    return compose(f, sign, e, mant);
}

static uint64_t draw_whole(unsigned style, bool is_c, unsigned bytes, Rng *r)
{
    static const uint8_t ends[] = {0x80, 0x7f, 0xff, 0x88, 0x77, 0x00, 0x81};
    uint64_t             x      = next(r);
    if (is_c && bytes == 4)
        return style == 0   ? x & 0xfffff
               : style == 1 ? x
                            : (x & 1 ? 0x7fffffffu - (x >> 8 & 0x1ffff) : 0x80000000u + (x >> 8 & 0x1ffff));
    return style == 1 ? ends[x % sizeof ends] : x & 0xff;
}

void inputs_fill(const Format *f, unsigned style, bool is_c, uint64_t seed, uint8_t *to, size_t bytes)
{
    Rng      r      = {seed};
    unsigned stored = f->bytes;
    for (size_t at = 0; at + stored <= bytes; at += stored) {
        uint64_t x = f->ebits ? draw_float(f, style, is_c, &r) : draw_whole(style, is_c, stored, &r);
        if (f->unused) /* tf32: what stands in the low bits must not matter */
            x = x << f->unused | (seed & 1 ? next(&r) & ((UINT64_C(1) << f->unused) - 1) : 0);
        memcpy(to + at, &x, stored);
    }
}

void inputs_metadata(bool pairs, uint64_t seed, uint8_t *to, size_t bytes)
{
    static const uint8_t four[] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}, two[] = {0x4, 0xe};
    Rng                  r = {seed};
    for (size_t i = 0; i < bytes; i++) {
        uint8_t low  = pairs ? two[next(&r) % 2] : four[next(&r) % 6],
                high = pairs ? two[next(&r) % 2] : four[next(&r) % 6];
        to[i]        = (uint8_t)(low | high << 4);
    }
}
