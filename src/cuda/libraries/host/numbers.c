/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of CUDA's types, one at a time, through double.  Every type that is known has a row; the functions look at the row and at how it is
 * stored.  8-bit floats are kept finite where they are written, as CUDA's libraries do. */
#include <math.h>

#include "base/half.h"
#include "cuda/libraries/host/host.h"

static const struct {
    uint8_t bytes;
    char    letter;
    bool    parts; /* complex */
} types[TYPES] = {
    [R_32F] = {4, 's', false}, [R_64F] = {8, 'd', false}, [C_32F] = {8, 'c', true}, [C_64F] = {16, 'z', true},
    [R_16F] = {2, 0, false},   [R_16BF] = {2, 0, false},  [R_8I] = {1, 0, false},   [R_8U] = {1, 0, false},
    [R_32I] = {4, 0, false},   [R_64I] = {8, 0, false},   [R_E4M3] = {1, 0, false}, [R_E5M2] = {1, 0, false},
    [C_8I] = {2, 0, true},
};

size_t number_bytes(int type)
{
    return type >= 0 && type < TYPES ? types[type].bytes : 0;
}

bool number_is_complex(int type)
{
    return type >= 0 && type < TYPES && types[type].parts;
}

int number_type(char letter)
{
    int t = 0;
    while (t < TYPES - 1 && types[t].letter != letter)
        t++;
    return t;
}

char number_letter(int type)
{
    return type >= 0 && type < TYPES ? types[type].letter : 0;
}

/* ---- 8-bit floats ---- */

typedef struct Tiny {
    int     mantissa, bias;
    double  most; /* finite */
    uint8_t nan;
} Tiny;

static const Tiny e4m3 = {3, 7, 448, 0x7f}, e5m2 = {2, 15, 57344, 0x7f};

static double tiny_at(const Tiny *t, uint8_t bits)
{
    int    m = bits & ((1 << t->mantissa) - 1), e = (bits & 0x7f) >> t->mantissa;
    double x = ldexp(e ? m + (1 << t->mantissa) : m, (e ? e : 1) - t->bias - t->mantissa);
    if (x > t->most)
        x = t == &e5m2 && !m ? INFINITY : NAN;
    return bits & 0x80 ? -x : x;
}

static uint8_t tiny_of(const Tiny *t, double x)
{
    uint8_t sign = signbit(x) ? 0x80 : 0;
    if (isnan(x))
        return (uint8_t)(sign | t->nan);
    x     = fmin(fabs(x), t->most);
    int e = x > 0 ? ilogb(x) : 1 - t->bias;
    if (e < 1 - t->bias)
        e = 1 - t->bias;
    int q = (int)nearbyint(ldexp(x, t->mantissa - e)), hidden = 1 << t->mantissa;
    return (uint8_t)(sign | (q < hidden ? q : ((e + t->bias) << t->mantissa) + (q - hidden)));
}

/* ---- all ---- */

/* Of any address: a factor that a caller keeps in bytes need not be aligned. */
#define ANY(T, Name) typedef T Name __attribute__((aligned(1), may_alias))
ANY(float, AnyFloat);
ANY(double, AnyDouble);
ANY(uint16_t, AnyWord16);
ANY(int32_t, AnyWord32);
ANY(int64_t, AnyWord64);
#undef ANY

Number number_at(int type, const void *p, int64_t i)
{
    switch (type) {
    case R_32F: return (Number){((const AnyFloat *)p)[i], 0};
    case R_64F: return (Number){((const AnyDouble *)p)[i], 0};
    case C_32F: return (Number){((const AnyFloat *)p)[2 * i], ((const AnyFloat *)p)[2 * i + 1]};
    case C_64F: return (Number){((const AnyDouble *)p)[2 * i], ((const AnyDouble *)p)[2 * i + 1]};
    case R_16F: return (Number){half_to_double(((const AnyWord16 *)p)[i]), 0};
    case R_16BF: return (Number){bf16_to_double(((const AnyWord16 *)p)[i]), 0};
    case R_8I: return (Number){((const int8_t *)p)[i], 0};
    case C_8I: return (Number){((const int8_t *)p)[2 * i], ((const int8_t *)p)[2 * i + 1]};
    case R_8U: return (Number){((const uint8_t *)p)[i], 0};
    case R_64I: return (Number){(double)((const AnyWord64 *)p)[i], 0};
    case R_E4M3: return (Number){tiny_at(&e4m3, ((const uint8_t *)p)[i]), 0};
    case R_E5M2: return (Number){tiny_at(&e5m2, ((const uint8_t *)p)[i]), 0};
    default: return (Number){((const AnyWord32 *)p)[i], 0};
    }
}

void number_put(int type, void *p, int64_t i, Number x)
{
    switch (type) {
    case R_32F: ((AnyFloat *)p)[i] = (float)x.re; break;
    case R_64F: ((AnyDouble *)p)[i] = x.re; break;
    case C_32F:
        ((AnyFloat *)p)[2 * i]     = (float)x.re;
        ((AnyFloat *)p)[2 * i + 1] = (float)x.im;
        break;
    case C_64F:
        ((AnyDouble *)p)[2 * i]     = x.re;
        ((AnyDouble *)p)[2 * i + 1] = x.im;
        break;
    case R_16F: ((AnyWord16 *)p)[i] = half_from_double(x.re); break;
    case R_16BF: ((AnyWord16 *)p)[i] = bf16_from_double(x.re); break;
    case R_8I: ((int8_t *)p)[i] = (int8_t)fmax(-128, fmin(127, nearbyint(x.re))); break;
    case C_8I:
        ((int8_t *)p)[2 * i]     = (int8_t)fmax(-128, fmin(127, nearbyint(x.re)));
        ((int8_t *)p)[2 * i + 1] = (int8_t)fmax(-128, fmin(127, nearbyint(x.im)));
        break;
    case R_8U: ((uint8_t *)p)[i] = (uint8_t)fmax(0, fmin(255, nearbyint(x.re))); break;
    case R_64I: ((AnyWord64 *)p)[i] = (int64_t)x.re; break;
    case R_E4M3: ((uint8_t *)p)[i] = tiny_of(&e4m3, x.re); break;
    case R_E5M2: ((uint8_t *)p)[i] = tiny_of(&e5m2, x.re); break;
    default: ((AnyWord32 *)p)[i] = (int32_t)(uint32_t)(int64_t)x.re;
    }
}
