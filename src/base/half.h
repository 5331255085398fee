/* SPDX-License-Identifier: Apache-2.0
 *
 * binary16 and bfloat16, one value at a time: widening is exact, narrowing from double rounds once, to nearest even. */
#ifndef WW_BASE_HALF_H
#define WW_BASE_HALF_H

#include "base/bits.h"

static inline double half_to_double(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 31, m = h & 0x3ff, bits;
    if (e == 31)
        bits = sign | 0x7f800000 | m << 13;
    else if (e)
        bits = sign | (e + 112) << 23 | m << 13;
    else
        return (sign ? -1.0 : 1.0) * (double)m / 16777216.0;
    return (double)f32_of(bits);
}

static inline double bf16_to_double(uint16_t h)
{
    return (double)f32_of((uint32_t)h << 16);
}

/* Rounds a double to a format with `mant` stored mantissa bits and `emax` as largest exponent (15 or 127); NaN gives nan. */
static inline uint16_t half_round(double x, unsigned mant, int emax, uint16_t nan)
{
    uint64_t b = f64_bits(x), sign = b >> 63 << 15;
    b &= ~(UINT64_C(1) << 63);
    if (b > UINT64_C(0x7ff) << 52)
        return nan;
    int e           = (int)(b >> 52) - 1023;
    uint64_t m      = (b & ((UINT64_C(1) << 52) - 1)) | (b >> 52 ? UINT64_C(1) << 52 : 0);
    uint64_t inf    = (uint64_t)(2 * emax + 1) << mant;
    if (e > emax)
        return (uint16_t)(sign | inf);
    int emin = 1 - emax, drop = 52 - (int)mant + (e < emin ? emin - e : 0);
    if (drop > 54)
        return (uint16_t)sign;
    uint64_t half = UINT64_C(1) << (drop - 1), rest = m & (half * 2 - 1), q = m >> drop;
    q += rest > half || (rest == half && (q & 1));
    uint64_t out = e < emin ? q : q + ((uint64_t)(e + emax - 1) << mant);
    return (uint16_t)(sign | (out > inf ? inf : out));
}

static inline uint16_t half_from_double(double x) { return half_round(x, 10, 15, 0x7fff); }
static inline uint16_t bf16_from_double(double x) { return half_round(x, 7, 127, 0x7fff); }

#endif
