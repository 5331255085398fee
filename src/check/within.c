/* SPDX-License-Identifier: Apache-2.0
 *
 * x lies in [0, room] when neither x nor room - x has its top bit set: no compare, so every level has the instructions for it. */
#include "check/within.h"

#include "base/simd.h"

enum { LANES = 32 };

#define LEVEL(name, attributes)                                                                                        \
    attributes static bool far_##name(const uint64_t *addr, uint64_t base, uint64_t room)                              \
    {                                                                                                                  \
        uint64_t out = 0;                                                                                              \
        for (int i = 0; i < LANES; i++)                                                                                \
            out |= (addr[i] - base) | (room - (addr[i] - base));                                                       \
        return (int64_t)out >= 0;                                                                                      \
    }                                                                                                                  \
    attributes static bool near_##name(const uint32_t *off, uint32_t base, uint32_t room)                              \
    {                                                                                                                  \
        uint32_t out = 0;                                                                                              \
        for (int i = 0; i < LANES; i++)                                                                                \
            out |= (off[i] - base) | (room - (off[i] - base));                                                         \
        return (int32_t)out >= 0;                                                                                      \
    }                                                                                                                  \
    attributes static bool row_##name(const uint64_t *addr, uint64_t bytes)                                            \
    {                                                                                                                  \
        uint64_t differ = 0;                                                                                           \
        for (int i = 1; i < LANES; i++)                                                                                \
            differ |= (addr[i] - addr[i - 1]) ^ bytes;                                                                 \
        return !differ;                                                                                                \
    }                                                                                                                  \
    static const Within name = {far_##name, near_##name, row_##name};

LEVEL(plain, )
#if defined(__x86_64__)
LEVEL(avx2, __attribute__((target("arch=x86-64-v3"))))
LEVEL(avx512, __attribute__((target("arch=x86-64-v4"))))
#endif

const Within *within_best(void)
{
#if defined(__x86_64__)
    if (simd_best() == SIMD_AVX512)
        return &avx512;
    if (simd_best() == SIMD_AVX2)
        return &avx2;
#endif
    return &plain;
}
