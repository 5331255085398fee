/* SPDX-License-Identifier: Apache-2.0
 *
 * 16-bit and 8-bit numbers of `warpwright bench`, which makes and verifies its data as floats: from floats, to nearest even, and back.  Normal
 * numbers and zero; what a device may write besides (infinities, NaN, subnormals) is read as what it is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "blas/blas.h"
#include "cli/bench/bench.h"
#include "lab/inputs.h"

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

/* Bits of exponent and fraction; finite: the largest exponent is no infinity, and only all bits set are a NaN (OCP's e4m3). */
typedef struct Format {
    const char *entry;
    unsigned    exponent, fraction;
    bool        finite;
} Format;

/* Of operands of that type, or of its results: those of 8-bit operands are bf16. */
static const Format *format_of(WwType type, bool result)
{
    static const Format formats[] = {
        {"f16", 5, 10, false}, {"bf16", 8, 7, false}, {"e4m3", 4, 3, true}, {"e5m2", 5, 2, false}};
    const TypeRow *row   = type_row(type);
    const char    *entry = result && row->kind == TYPE_EIGHT ? "bf16" : row->entry;
    size_t         i     = 0;
    while (strcmp(formats[i].entry, entry) != 0)
        i++;
    return &formats[i];
}

static int bias_of(const Format *f)
{
    return (1 << (f->exponent - 1)) - 1;
}

/* Rounded by adding below the bits that are kept; below the least normal number there is zero. */
static uint16_t to_bits(float v, const Format *f)
{
    uint32_t u = bits_of(v), drop = 23 - f->fraction, sign = u >> 31 << (f->exponent + f->fraction);
    uint32_t rebias = (uint32_t)(127 - bias_of(f)) << f->fraction;
    u &= 0x7fffffff;
    u += (1u << (drop - 1)) - 1 + (u >> drop & 1);
    u >>= drop;
    return (uint16_t)(u < rebias + (1u << f->fraction) ? sign : sign | (u - rebias));
}

static float from_bits(uint32_t h, const Format *f)
{
    if (f->exponent == 8)
        return float_of(h << 16);
    uint32_t most = (1u << f->exponent) - 1, e = h >> f->fraction & most, one = 1u << f->fraction, m = h & (one - 1);
    float    v = ldexpf((float)(e ? one + m : m), (int)(e ? e : 1) - bias_of(f) - (int)f->fraction);
    if (e == most && (!f->finite || m == one - 1))
        v = f->finite || m ? NAN : INFINITY;
    return h >> (f->exponent + f->fraction) & 1 ? -v : v;
}

static void make(void *v, const float *from, size_t n, WwType type)
{
    const Format *f    = format_of(type, false);
    size_t        each = type_row(type)->operand;
    for (size_t i = 0; i < n; i++) {
        uint16_t bits = to_bits(from[i], f);
        memcpy((char *)v + i * each, &bits, each); /* little-endian, as the devices */
    }
}

void bench_half_fill(void *v, size_t n, WwType type, uint64_t seed, uint64_t stream)
{
    float *f = xmalloc((n + 1) * sizeof *f);
    inputs_unit_shared(f, n, seed, stream);
    make(v, f, n, type);
    free(f);
}

float *bench_half_read(const void *v, size_t n, WwType type, bool result)
{
    const Format *f    = format_of(type, result);
    size_t        each = result ? type_row(type)->result : type_row(type)->operand;
    float        *to   = xmalloc((n + 1) * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        uint16_t bits = 0;
        memcpy(&bits, (const char *)v + i * each, each);
        to[i] = from_bits(bits, f);
    }
    return to;
}

bool bench_small(WwType type)
{
    return type_row(type)->kind == TYPE_HALF || type_row(type)->kind == TYPE_EIGHT;
}

double bench_rounding(WwType type)
{
    return type_row(type)->result == 2 ? type == WW_F16 ? 0x1p-11 : 0x1p-8 : 0x1p-24;
}
