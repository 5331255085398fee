/* SPDX-License-Identifier: Apache-2.0
 *
 * The generator is splitmix64 (Steele, Lea, Flood 2014) used as a hash of a counter: no state, and streams that
 * start from hashed points.  Good enough to make every element of a matrix different; not for anything secret. */
#include "lab/inputs.h"

static uint64_t mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t inputs_at(uint64_t seed, uint64_t stream, uint64_t i)
{
    return mix(mix(seed ^ mix(stream)) + i * 0x9e3779b97f4a7c15u);
}

void inputs_unit(float *v, size_t n, uint64_t seed, uint64_t stream)
{
    for (size_t i = 0; i < n; i++) {
        int32_t r = (int32_t)(inputs_at(seed, stream, i) >> 40) - (1 << 23); /* 24 bits: exact in a float */
        v[i]      = (float)r * 0x1p-23f;
    }
}

void inputs_bits(uint32_t *v, size_t n, uint64_t seed, uint64_t stream)
{
    for (size_t i = 0; i < n; i++)
        v[i] = (uint32_t)(inputs_at(seed, stream, i) >> 32);
}
