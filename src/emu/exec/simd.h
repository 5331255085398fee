/* SPDX-License-Identifier: Apache-2.0
 *
 * What the handlers need beyond plain loops, for each SIMD level: choosing between two rows of 32 lanes by a lane mask, and
 * packing the results of a vector comparison into one.  Everything else is left to the compiler's vectoriser.
 *
 * VECTOR is the width of a register in bytes.  WW_SCALAR (the reference that tests compile) uses none of it. */
#ifndef WW_EMU_EXEC_SIMD_H
#define WW_EMU_EXEC_SIMD_H

#include <stdint.h>
#include <string.h>

#include "emu/core/warp.h"

#if defined(__AVX512BW__) && defined(__AVX512DQ__) && !defined(WW_SCALAR)
#define SIMD_AVX512 1
#define VECTOR 64
#elif defined(__AVX2__) && defined(__BMI2__) && !defined(WW_SCALAR)
#define SIMD_AVX2 1
#define VECTOR 32
#elif defined(__SSE2__) && !defined(WW_SCALAR)
#define SIMD_SSE2 1
#define VECTOR 16
#else
#define VECTOR 16
#endif

#if defined(SIMD_AVX512) || defined(SIMD_AVX2) || defined(SIMD_SSE2)
#include <immintrin.h>
#endif

#define INLINE  static inline __attribute__((always_inline, unused))
#define OUTLINE static __attribute__((noinline, unused))

/* ---- d = mask ? t : f, for lanes of 1, 2, 4, 8, 16 bytes; d may be t or f ---- */

#ifdef SIMD_AVX512

INLINE void select1(uint8_t *d, const uint8_t *t, const uint8_t *f, uint32_t m)
{
    _mm256_storeu_si256((__m256i *)d, _mm256_mask_blend_epi8(m, _mm256_loadu_si256((const __m256i *)f),
                                                             _mm256_loadu_si256((const __m256i *)t)));
}

INLINE void select2(uint8_t *d, const uint8_t *t, const uint8_t *f, uint32_t m)
{
    _mm512_storeu_si512(d, _mm512_mask_blend_epi16(m, _mm512_loadu_si512(f), _mm512_loadu_si512(t)));
}

INLINE void select4(uint8_t *d, const uint8_t *t, const uint8_t *f, uint32_t m)
{
    for (int k = 0; k < 2; k++)
        _mm512_storeu_si512(d + 64 * k, _mm512_mask_blend_epi32((__mmask16)(m >> 16 * k), _mm512_loadu_si512(f + 64 * k),
                                                                _mm512_loadu_si512(t + 64 * k)));
}

INLINE void select8(uint8_t *d, const uint8_t *t, const uint8_t *f, uint32_t m)
{
    for (int k = 0; k < 4; k++)
        _mm512_storeu_si512(d + 64 * k, _mm512_mask_blend_epi64((__mmask8)(m >> 8 * k), _mm512_loadu_si512(f + 64 * k),
                                                                _mm512_loadu_si512(t + 64 * k)));
}

#else

/* Both are read, whatever the bit, so that lanes become vectors; rows.c says that all of them become one. */
#ifndef WHOLE
#define WHOLE(n) for (uint32_t i = 0; i < (n); i++)
#endif
#define SELECT(bytes, U)                                                                                                   \
    INLINE void select##bytes(uint8_t *d, const uint8_t *t, const uint8_t *f, uint32_t m)                                  \
    {                                                                                                                      \
        typedef U __attribute__((may_alias)) A;                                                                            \
        WHOLE(LANES)                                                                                                       \
        {                                                                                                                  \
            U x = ((const A *)t)[i], y = ((const A *)f)[i];                                                                \
            ((A *)d)[i] = (m >> i & 1) ? x : y;                                                                            \
        }                                                                                                                  \
    }
SELECT(1, uint8_t)
SELECT(2, uint16_t)
SELECT(4, uint32_t)
SELECT(8, uint64_t)
#undef SELECT

#endif

INLINE void select16(uint8_t *d, const uint8_t *t, const uint8_t *f, uint32_t m)
{
    for (uint32_t i = 0; i < LANES; i++) {
        uint8_t x[16];
        memcpy(x, (m >> i & 1 ? t : f) + 16 * i, 16);
        memcpy(d + 16 * i, x, 16);
    }
}

/* The end of a partly masked handler: the results in w->scratch go to the executing lanes of d. */
#define BLEND(bytes)                                                                                                       \
    OUTLINE const Uop *blend##bytes(Warp *w, const Uop *u, void *d)                                                        \
    {                                                                                                                      \
        select##bytes(d, w->scratch, d, w->mask);                                                                          \
        return u + 1;                                                                                                      \
    }
BLEND(1)
BLEND(2)
BLEND(4)
BLEND(8)
BLEND(16)
#undef BLEND

/* ---- packing comparisons: vectors of 0 / -1 to one bit an element ---- */

typedef int16_t Vec2 __attribute__((vector_size(VECTOR)));
typedef int32_t Vec4 __attribute__((vector_size(VECTOR)));
typedef int64_t Vec8 __attribute__((vector_size(VECTOR)));

#if defined(SIMD_AVX512)

INLINE uint32_t pack2(Vec2 v) { return _mm512_movepi16_mask((__m512i)v); }
INLINE uint32_t pack4(Vec4 v) { return _mm512_movepi32_mask((__m512i)v); }
INLINE uint32_t pack8(Vec8 v) { return _mm512_movepi64_mask((__m512i)v); }

#elif defined(SIMD_AVX2)

INLINE uint32_t pack2(Vec2 v) { return _pext_u32((uint32_t)_mm256_movemask_epi8((__m256i)v), 0x55555555u); }
INLINE uint32_t pack4(Vec4 v) { return (uint32_t)_mm256_movemask_ps((__m256)v); }
INLINE uint32_t pack8(Vec8 v) { return (uint32_t)_mm256_movemask_pd((__m256d)v); }

#elif defined(SIMD_SSE2)

INLINE uint32_t pack2(Vec2 v) { return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16((__m128i)v, _mm_setzero_si128())); }
INLINE uint32_t pack4(Vec4 v) { return (uint32_t)_mm_movemask_ps((__m128)v); }
INLINE uint32_t pack8(Vec8 v) { return (uint32_t)_mm_movemask_pd((__m128d)v); }

#else

#define PACK(bytes)                                                                                                        \
    INLINE uint32_t pack##bytes(Vec##bytes v)                                                                              \
    {                                                                                                                      \
        uint32_t m = 0;                                                                                                    \
        for (uint32_t i = 0; i < VECTOR / bytes; i++)                                                                      \
            m |= (uint32_t)(v[i] & 1) << i;                                                                                \
        return m;                                                                                                          \
    }
PACK(2)
PACK(4)
PACK(8)
#undef PACK

#endif

/* 32 bytes of 0 or 1 to a mask. */
INLINE uint32_t pack_bytes(const uint8_t *r)
{
#if defined(SIMD_AVX512) || defined(SIMD_AVX2)
    return (uint32_t)_mm256_movemask_epi8(_mm256_slli_epi16(_mm256_loadu_si256((const __m256i *)r), 7));
#else
    uint32_t m = 0;
    for (uint32_t i = 0; i < LANES; i++)
        m |= (uint32_t)(r[i] & 1) << i;
    return m;
#endif
}

/* A predicate register is one mask: the executing lanes of it change. */
INLINE void pred_write(Warp *w, Slot d, uint32_t m)
{
    uint32_t *p = (uint32_t *)(w->r + d);
    *p          = (*p & ~w->mask) | (m & w->mask);
}

INLINE uint32_t pred_read(const Warp *w, Slot s) { return *(const uint32_t *)(w->r + s); }

#endif
