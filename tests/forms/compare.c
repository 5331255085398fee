/* SPDX-License-Identifier: Apache-2.0
 *
 * When a result agrees with the reading: exact forms bit for bit; approximate ones within the manual's bound (bounds.def) and one
 * unit in the last place, with NaN, infinities and the side of zero where the reading has them.  Outside the range for which the
 * manual states a bound (sines beyond 100 pi, divisors beyond 2^126) anything goes. */
#include <math.h>
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "forms.h"
#include "ptx/op.h"

typedef enum Kind { NONE, REL, ABS, LOG, TRIG } Kind;

static const struct {
    Op     op;
    Kind   kind;
    double log2;
} bounds[] = {
#define BOUND(row, kind, log2) {OP_##row, kind, log2},
#include "bounds.def"
};

/* *least: the smallest subnormal; *digits: of the mantissa. */
static double number(Type t, uint64_t bits, double *least, int *digits)
{
    bool half = t == TY_F16 || t == TY_F16X2, brain = t == TY_BF16 || t == TY_BF16X2;
    *least  = half ? 0x1p-24 : brain ? 0x1p-133 : t == TY_F32 ? 0x1p-149 : 0x1p-1074;
    *digits = half ? 10 : brain ? 7 : t == TY_F32 ? 23 : 52;
    if (half)
        return half_to_double((uint16_t)bits);
    if (brain)
        return bf16_to_double((uint16_t)bits);
    return t == TY_F32 ? (double)f32_of((uint32_t)bits) : f64_of(bits);
}

static double tolerance(const Case *c, Kind kind, double log2, double want, double arg)
{
    double bound = exp2(log2), size = fabs(want);
    switch (kind) {
    case REL: return bound * size;
    case LOG: return arg > 0.5 && arg < 2 ? bound : bound * size;
    case TRIG: return fabs(arg) <= 6.2831853 ? bound : fabs(arg) <= 314.159 ? exp2(-14.7) : INFINITY;
    default: return c->exactness == EXACT ? 0 : bound;
    }
}

static bool near(const Case *c, Type t, uint64_t got, uint64_t want, const uint64_t *in, unsigned i, unsigned shift)
{
    double least, arg_least;
    int    digits, arg_digits;
    double g = number(t, got, &least, &digits), w = number(t, want, &least, &digits);
    double arg = number(t, in[i] >> shift & (shift || t == TY_F16X2 || t == TY_BF16X2 ? 0xffff : ~0ull), &arg_least,
                        &arg_digits);
    if (isnan(w) || isinf(w))
        return isnan(w) ? isnan(g) : g == w;
    double divisor = c->op == OP_fdiv_approx ? fabs(number(t, in[TUPLES + i], &arg_least, &arg_digits)) : 1;
    if (divisor > 0x1p126 || divisor < 0x1p-126)
        return true;
    double ulp = w == 0 ? least : exp2(floor(log2(fabs(w))) - digits);
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
        if (bounds[k].op == c->op)
            return fabs(g - w) <= tolerance(c, bounds[k].kind, bounds[k].log2, w, arg) + fmax(ulp, least);
    return g == w;
}

bool result_fits(const Case *c, unsigned r, uint64_t got, uint64_t want, const uint64_t *in, unsigned i)
{
    if (got == want)
        return true;
    if (c->exactness != APPROXIMATE || r > 0)
        return false;
    Type t = c->operand[0].type;
    if (t != TY_F16X2 && t != TY_BF16X2)
        return near(c, t, got, want, in, i, 0);
    return near(c, t, got & 0xffff, want & 0xffff, in, i, 0) && near(c, t, got >> 16, want >> 16, in, i, 16);
}
