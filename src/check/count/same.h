/* SPDX-License-Identifier: Apache-2.0
 *
 * Inside count.c: do the active lanes' addresses differ from a base as they did before?  Once for each SIMD level. */
#ifndef WW_CHECK_SAME_H
#define WW_CHECK_SAME_H

#include <stdbool.h>
#include <stdint.h>

#include "emu/observer.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* Active lanes' offsets minus base equal delta. */
typedef bool Same32(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask);
typedef bool Same64(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask);

#if defined(__x86_64__)
#define AVX2   __attribute__((target("arch=x86-64-v3")))
#define AVX512 __attribute__((target("arch=x86-64-v4")))

/* A bit for each lane that is equal; then the idle ones do not matter. */
static inline bool same32(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    __m128i  b     = _mm_set1_epi32((int)base);
    uint32_t equal = 0;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        __m128i x = _mm_sub_epi32(_mm_loadu_si128((const __m128i *)(off + 4 * i)), b);
        __m128i e = _mm_cmpeq_epi32(x, _mm_load_si128((const __m128i *)(delta + 4 * i)));
        equal |= (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(e)) << 4 * i;
    }
    return (mask & ~equal) == 0;
}

static inline bool same64(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    __m128i  b     = _mm_set1_epi64x((long long)base);
    uint32_t equal = 0;
#pragma GCC unroll 16
    for (int i = 0; i < 16; i++) {
        __m128i x = _mm_sub_epi64(_mm_loadu_si128((const __m128i *)(addr + 2 * i)), b);
        __m128i e = _mm_cmpeq_epi32(x, _mm_load_si128((const __m128i *)(delta + 2 * i)));
        e         = _mm_and_si128(e, _mm_shuffle_epi32(e, 0xb1)); /* both halves */
        equal |= (uint32_t)_mm_movemask_pd(_mm_castsi128_pd(e)) << 2 * i;
    }
    return (mask & ~equal) == 0;
}

AVX2 static inline bool same32_avx2(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    __m256i  b     = _mm256_set1_epi32((int)base);
    uint32_t equal = 0;
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m256i x = _mm256_sub_epi32(_mm256_loadu_si256((const __m256i *)(off + 8 * i)), b);
        __m256i e = _mm256_cmpeq_epi32(x, _mm256_load_si256((const __m256i *)(delta + 8 * i)));
        equal |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(e)) << 8 * i;
    }
    return (mask & ~equal) == 0;
}

AVX2 static inline bool same64_avx2(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    __m256i  b     = _mm256_set1_epi64x((long long)base);
    uint32_t equal = 0;
#pragma GCC unroll 8
    for (int i = 0; i < 8; i++) {
        __m256i x = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(addr + 4 * i)), b);
        __m256i e = _mm256_cmpeq_epi64(x, _mm256_load_si256((const __m256i *)(delta + 4 * i)));
        equal |= (uint32_t)_mm256_movemask_pd(_mm256_castsi256_pd(e)) << 4 * i;
    }
    return (mask & ~equal) == 0;
}

AVX512 static inline bool same32_avx512(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    __m512i   b  = _mm512_set1_epi32((int)base);
    __m512i   x0 = _mm512_sub_epi32(_mm512_loadu_si512(off), b), x1 = _mm512_sub_epi32(_mm512_loadu_si512(off + 16), b);
    __mmask16 k0 = _mm512_mask_cmpneq_epi32_mask((__mmask16)mask, x0, _mm512_load_si512(delta));
    __mmask16 k1 = _mm512_mask_cmpneq_epi32_mask((__mmask16)(mask >> 16), x1, _mm512_load_si512(delta + 16));
    return _mm512_kortestz(k0, k1);
}

AVX512 static inline bool same64_avx512(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    __m512i  b = _mm512_set1_epi64((long long)base);
    __mmask8 k[4];
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m512i x = _mm512_sub_epi64(_mm512_loadu_si512(addr + 8 * i), b);
        k[i]      = _mm512_mask_cmpneq_epi64_mask((__mmask8)(mask >> 8 * i), x, _mm512_load_si512(delta + 8 * i));
    }
    return _kortestz_mask8_u8(_kor_mask8(k[0], k[1]), _kor_mask8(k[2], k[3]));
}
#else
static inline bool same32(const uint32_t *off, uint32_t base, const uint32_t *delta, uint32_t mask)
{
    uint32_t diff = 0;
    for (int i = 0; i < LANES; i++)
        diff |= ((off[i] - base) ^ delta[i]) & (0 - (mask >> i & 1));
    return diff == 0;
}

static inline bool same64(const uint64_t *addr, uint64_t base, const uint64_t *delta, uint32_t mask)
{
    uint64_t diff = 0;
    for (int i = 0; i < LANES; i++)
        diff |= ((addr[i] - base) ^ delta[i]) & (0 - (uint64_t)(mask >> i & 1));
    return diff == 0;
}
#endif

#endif
