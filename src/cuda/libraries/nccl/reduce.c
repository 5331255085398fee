/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums, products, the least and the greatest of what the ranks' slots hold.  Integers wrap around, as the card's do; an average of integers is
 * cut off.  Short floats are put together in double and rounded once. */
#include <math.h>

#include "cuda/libraries/host/host.h"
#include "cuda/libraries/nccl/nccl.h"

/* A type: bytes, and what it is among CUDA's (-1: an integer that double cannot hold). */
static const struct {
    uint8_t bytes;
    int     type;
} types[NCCL_TYPES] = {{1, -1},    {1, -1},    {4, -1},    {4, -1},     {8, -1},     {8, -1},
                       {2, R_16F}, {4, R_32F}, {8, R_64F}, {2, R_16BF}, {1, R_E4M3}, {1, R_E5M2}};

size_t type_bytes(int type)
{
    return type >= 0 && type < NCCL_TYPES ? types[type].bytes : 0;
}

#define INTEGERS(name, T, U)                                                                                           \
    static T name(int op, const Shared *s, size_t i)                                                                   \
    {                                                                                                                  \
        T x = ((const T *)(const void *)meeting_slot(s, 0))[i];                                                        \
        for (int r = 1; r < s->ranks; r++) {                                                                           \
            T y = ((const T *)(const void *)meeting_slot(s, r))[i];                                                    \
            switch (op) {                                                                                              \
            case NCCL_PROD: x = (T)((U)x * (U)y); break;                                                               \
            case NCCL_MAX: x = y > x ? y : x; break;                                                                   \
            case NCCL_MIN: x = y < x ? y : x; break;                                                                   \
            default: x = (T)((U)x + (U)y);                                                                             \
            }                                                                                                          \
        }                                                                                                              \
        if (op == NCCL_AVG)                                                                                            \
            x = (T)(x / (T)s->ranks);                                                                                  \
        return x;                                                                                                      \
    }
INTEGERS(of_i8, int8_t, uint32_t)
INTEGERS(of_u8, uint8_t, uint32_t)
INTEGERS(of_i32, int32_t, uint32_t)
INTEGERS(of_u32, uint32_t, uint32_t)
INTEGERS(of_i64, int64_t, uint64_t)
INTEGERS(of_u64, uint64_t, uint64_t)

static double of_floats(int type, int op, const Shared *s, size_t i)
{
    double x = number_at(type, meeting_slot(s, 0), (int64_t)i).re;
    for (int r = 1; r < s->ranks; r++) {
        double y = number_at(type, meeting_slot(s, r), (int64_t)i).re;
        switch (op) {
        case NCCL_PROD: x *= y; break;
        case NCCL_MAX: x = fmax(x, y); break;
        case NCCL_MIN: x = fmin(x, y); break;
        default: x += y;
        }
    }
    return op == NCCL_AVG ? x / s->ranks : x;
}

void reduce(int type, int op, const Shared *s, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++)
        switch (type) {
        case 0: ((int8_t *)to)[i] = of_i8(op, s, i); break;
        case 1: ((uint8_t *)to)[i] = of_u8(op, s, i); break;
        case 2: ((int32_t *)to)[i] = of_i32(op, s, i); break;
        case 3: ((uint32_t *)to)[i] = of_u32(op, s, i); break;
        case 4: ((int64_t *)to)[i] = of_i64(op, s, i); break;
        case 5: ((uint64_t *)to)[i] = of_u64(op, s, i); break;
        default: number_put(types[type].type, to, (int64_t)i, (Number){of_floats(types[type].type, op, s, i), 0});
        }
}

void scale(int type, const void *factor, void *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        switch (type) {
        case 0:
        case 1: ((uint8_t *)at)[i] = (uint8_t)(((uint8_t *)at)[i] * *(const uint8_t *)factor); break;
        case 2:
        case 3: ((uint32_t *)at)[i] *= *(const uint32_t *)factor; break;
        case 4:
        case 5: ((uint64_t *)at)[i] *= *(const uint64_t *)factor; break;
        default: {
            int    t = types[type].type;
            Number x = number_at(t, at, (int64_t)i), f = number_at(t, factor, 0);
            number_put(t, at, (int64_t)i, (Number){x.re * f.re, 0});
        }
        }
}
