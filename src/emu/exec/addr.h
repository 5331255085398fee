/* SPDX-License-Identifier: Apache-2.0
 *
 * The 32 addresses of a memory instruction, in vectors as wide as the level's registers (gcc makes scalar code of wider ones):
 *   making them    inactive lanes are given the first active lane's address, so that what follows needs no mask
 *   their pattern  by half warps: consecutive, one address, or anything
 *   checking them  all within one allocation and aligned; of patterns the ends say it
 * Only 32-bit comparisons with zero, additions and bit operations: the ones that SSE2 has, too. */
#ifndef WW_EMU_EXEC_ADDR_H
#define WW_EMU_EXEC_ADDR_H

#include "emu/exec/simd.h"

enum { HALF = 16, V32_LANES = VECTOR / 4, V64_LANES = VECTOR / 8 };

typedef uint32_t V32 __attribute__((vector_size(VECTOR), aligned(VECTOR), may_alias));
typedef uint64_t V64 __attribute__((vector_size(VECTOR), aligned(VECTOR), may_alias));

typedef union Addr64 {
    uint64_t t[LANES];
    V64      v[LANES / V64_LANES];
} Addr64;
typedef union Addr32 {
    uint32_t t[LANES];
    V32      v[LANES / V32_LANES];
} Addr32;

/* 0, 1, 2 ..., and each lane's bit; of 8-byte lanes in both halves. */
#define BY_LANE(X)                                                                                                     \
    X(0)                                                                                                               \
    X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) X(16) X(17) X(18) X(19) X(20)     \
        X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
#define NUMBER(i) i,
#define BIT(i)    1u << i,
#define BITS(i)   1u << i, 1u << i,
static const uint32_t lane_number32[LANES] __attribute__((aligned(64))) = {BY_LANE(NUMBER)};
static const uint64_t lane_number64[HALF]
    __attribute__((aligned(64))) = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint32_t lane_bit32[LANES] __attribute__((aligned(64)))     = {BY_LANE(BIT)};
static const uint32_t lane_bit64[2 * LANES] __attribute__((aligned(64))) = {BY_LANE(BITS)};
#undef NUMBER
#undef BIT
#undef BITS
#undef BY_LANE

INLINE bool zero(V32 x)
{
#if defined(SIMD_AVX512)
    return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) == 0;
#elif defined(SIMD_AVX2)
    return _mm256_testz_si256((__m256i)x, (__m256i)x);
#elif defined(SIMD_SSE2)
    return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)x, _mm_setzero_si128())) == 0xffff;
#else
    uint32_t any = 0;
    for (int i = 0; i < V32_LANES; i++)
        any |= x[i];
    return any == 0;
#endif
}

/* All ones for the lanes of vector g that m names. */
INLINE V32 named(uint32_t m, const uint32_t *bits, int g)
{
    V32 b = ((const V32 *)bits)[g];
    return (V32)((b & m) == b);
}

/* a: where lanes' addresses stand, less off; m: the active lanes. */
INLINE void addresses64_of(const V64 *a, uint64_t off, uint32_t m, Addr64 *x)
{
    for (int g = 0; g < LANES / V64_LANES; g++)
        x->v[g] = a[g] + off;
    if (__builtin_expect(m != UINT32_MAX, 0)) {
        const uint64_t first = x->t[__builtin_ctz(m)];
        for (int g = 0; g < LANES / V64_LANES; g++)
            x->v[g] = ((x->v[g] ^ first) & (V64)named(m, lane_bit64, g)) ^ first;
    }
}

INLINE void addresses32_of(const V32 *a, uint32_t off, uint32_t m, Addr32 *x)
{
    for (int g = 0; g < LANES / V32_LANES; g++)
        x->v[g] = a[g] + off;
    if (__builtin_expect(m != UINT32_MAX, 0)) {
        const uint32_t first = x->t[__builtin_ctz(m)];
        for (int g = 0; g < LANES / V32_LANES; g++)
            x->v[g] = ((x->v[g] ^ first) & named(m, lane_bit32, g)) ^ first;
    }
}

INLINE void addresses64(const Warp *w, const Uop *u, Addr64 *x)
{
    addresses64_of(SLOT(w, const V64, u->a), (uint64_t)(int64_t)(int32_t)u->e, w->mask, x);
}

INLINE void addresses32(const Warp *w, const Uop *u, Addr32 *x)
{
    addresses32_of(SLOT(w, const V32, u->a), u->e - w->shared_base, w->mask, x);
}

typedef enum Pattern { CONSECUTIVE, UNIFORM, SCATTERED } Pattern;

/* Of 16 addresses, aligned to a vector, of elements of `bytes`, a power of two. */
INLINE Pattern pattern64(const uint64_t *t, unsigned bytes)
{
    V64 same = {0}, step = {0};
    for (int g = 0; g < HALF / V64_LANES; g++) {
        V64 d = ((const V64 *)t)[g] - t[0];
        same |= d;
        step |= d ^ ((const V64 *)lane_number64)[g] << __builtin_ctz(bytes);
    }
    if (zero((V32)step))
        return CONSECUTIVE;
    return zero((V32)same) ? UNIFORM : SCATTERED;
}

INLINE Pattern pattern32(const uint32_t *t, unsigned bytes)
{
    V32 same = {0}, step = {0};
    for (int g = 0; g < HALF / V32_LANES; g++) {
        V32 d = ((const V32 *)t)[g] - t[0];
        same |= d;
        step |= d ^ ((const V32 *)lane_number32)[g] << __builtin_ctz(bytes);
    }
    if (zero(step))
        return CONSECUTIVE;
    return zero(same) ? UNIFORM : SCATTERED;
}

/* Every address within [base, base + limit] and a multiple of `bytes`.  limit is below the sign bit, so an offset or limit - offset
 * beyond it has that bit. */
INLINE bool good64(const Addr64 *x, const Pattern *half, uint64_t base, uint64_t limit, unsigned bytes)
{
    if (half[0] != SCATTERED && half[1] != SCATTERED) {
        const uint64_t a = x->t[0] - base, b = x->t[HALF - 1] - base, c = x->t[HALF] - base, d = x->t[LANES - 1] - base;
        return a <= limit && b <= limit && c <= limit && d <= limit && ((a | c) & (bytes - 1)) == 0;
    }
    V64 low = {0}, beyond = {0};
    for (int g = 0; g < LANES / V64_LANES; g++) {
        V64 o = x->v[g] - base;
        low |= o;
        beyond |= limit - o;
    }
    return zero((V32)(((low | beyond) & (uint64_t)1 << 63) | (low & (uint64_t)(bytes - 1))));
}

INLINE bool good32(const Addr32 *x, const Pattern *half, uint32_t base, uint32_t limit, unsigned bytes)
{
    if (half[0] != SCATTERED && half[1] != SCATTERED) {
        const uint32_t a = x->t[0] - base, b = x->t[HALF - 1] - base, c = x->t[HALF] - base, d = x->t[LANES - 1] - base;
        return a <= limit && b <= limit && c <= limit && d <= limit && ((a | c) & (bytes - 1)) == 0;
    }
    V32 low = {0}, beyond = {0};
    for (int g = 0; g < LANES / V32_LANES; g++) {
        V32 o = x->v[g] - base;
        low |= o;
        beyond |= limit - o;
    }
    return zero(((low | beyond) & 1u << 31) | (low & (uint32_t)(bytes - 1)));
}

/* Bytes of a half warp's elements.  memcpy would move 16 bytes at a time, which no 32-byte load finds in the store buffer. */
INLINE void move(void *to, const void *from, size_t bytes)
{
    typedef uint32_t Loose __attribute__((vector_size(VECTOR), aligned(1), may_alias));
    if (bytes < VECTOR)
        memcpy(to, from, bytes);
    else
        for (size_t i = 0; i < bytes / VECTOR; i++)
            ((Loose *)to)[i] = ((const Loose *)from)[i];
}

#endif
