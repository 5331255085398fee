/* SPDX-License-Identifier: Apache-2.0
 *
 * 16-bit numbers of `warpwright bench`, which makes and verifies its data as floats: fp16 and bf16 from floats, to nearest even, and back.  Normal
 * numbers and zero; what a device may write besides (infinities, NaN, subnormals) is read as what it is. */
#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "cli/bench/bench.h"

static uint32_t bits_of(float f)
{
    uint32_t u;
    memcpy(&u, &f, sizeof u);
    return u;
}

static float float_of(uint32_t u)
{
    float f;
    memcpy(&f, &u, sizeof f);
    return f;
}

/* Rounded by adding below the bits that are kept; an fp16's exponent has 5 bits, below 2^-14 there is zero. */
static uint16_t to_half(float f, bool brain)
{
    enum { REBIAS = (127 - 15) << 10 };
    uint32_t u = bits_of(f), drop = brain ? 16 : 13, sign = u >> 16 & 0x8000;
    u &= 0x7fffffff;
    u += (1u << (drop - 1)) - 1 + (u >> drop & 1);
    u >>= drop;
    if (brain)
        return (uint16_t)(sign | u);
    return (uint16_t)(u < REBIAS + (1u << 10) ? sign : sign | (u - REBIAS));
}

static float from_half(uint16_t h, bool brain)
{
    if (brain)
        return float_of((uint32_t)h << 16);
    uint32_t e = h >> 10 & 31, m = h & 1023;
    float    v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexpf((float)(1024 + m), (int)e - 25) : ldexpf((float)m, -24);
    return h >> 15 ? -v : v;
}

void bench_half_make(void *v, const float *from, size_t n, bool brain)
{
    uint16_t *to = v;
    for (size_t i = 0; i < n; i++)
        to[i] = to_half(from[i], brain);
}

float *bench_half_read(const void *v, size_t n, bool brain)
{
    const uint16_t *from = v;
    float          *to   = xmalloc((n + 1) * sizeof *to);
    for (size_t i = 0; i < n; i++)
        to[i] = from_half(from[i], brain);
    return to;
}
