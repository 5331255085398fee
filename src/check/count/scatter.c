/* SPDX-License-Identifier: Apache-2.0
 *
 * The common rules only: sectors of global memory and rows of local memory as cards of compute capability 5.0 and later count them, words of
 * at most 4 bytes in 32 banks of shared memory.  All else is left to the model.
 *
 *   global   how many lines, sectors and elements are distinct: of lanes with the same key one counts
 *   shared   of lanes with the same word one counts (atomics: each), then as many as one bank has: lanes add up the rows of a table, in
 *            which each bank's byte is one
 *   local    a bit for each row, lanes of one sector together
 *
 * Invariant: the numbers are model_access's (tests/unit/test_check_scatter.c); which level computes them makes no difference. */
#include "check/count/scatter.h"

#include <string.h>

#include "base/simd.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define INLINE __attribute__((always_inline)) static inline
#define AVX2   __attribute__((target("arch=x86-64-v3")))
#define AVX512 __attribute__((target("arch=x86-64-v4")))

enum { BANKS = 32 };

typedef struct Keys { /* by lane; idle lanes have the first active one's */
    _Alignas(64) uint32_t at[LANES];
} Keys;

static const uint32_t lane_bit[LANES] __attribute__((aligned(64))) = {
#define B4(i) 1u << (i), 1u << ((i) + 1), 1u << ((i) + 2), 1u << ((i) + 3),
    B4(0) B4(4) B4(8) B4(12) B4(16) B4(20) B4(24) B4(28)
#undef B4
};

/* Row b: a one in byte b. */
static const uint8_t one_of[BANKS][BANKS] __attribute__((aligned(64))) = {
#define R(b)  [b][b] = 1,
#define R4(b) R(b) R((b) + 1) R((b) + 2) R((b) + 3)
    R4(0) R4(4) R4(8) R4(12) R4(16) R4(20) R4(24) R4(28)
#undef R4
#undef R
};

/* ---- keys ---- */

/* All ones for the active ones of lanes 8g to 8g + 7. */
AVX2 INLINE __m256i active(uint32_t mask, int g)
{
    __m256i bits = _mm256_load_si256((const __m256i *)(lane_bit + 8 * g));
    return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int)mask), bits), bits);
}

AVX2 INLINE void fill_idle(Keys *k, uint32_t mask)
{
    if (mask == UINT32_MAX)
        return;
    __m256i first = _mm256_set1_epi32((int)k->at[__builtin_ctz(mask)]);
    for (int g = 0; g < 4; g++) {
        __m256i *at = (__m256i *)(k->at + 8 * g);
        *at         = _mm256_blendv_epi8(first, *at, active(mask, g));
    }
}

AVX2 INLINE void keys_near(Keys *k, const uint32_t *off, uint32_t mask)
{
    memcpy(k->at, off, sizeof k->at);
    fill_idle(k, mask);
}

/* Distances from a line near the first active lane; false: some do not fit. */
AVX2 INLINE bool keys_far(Keys *k, const uint64_t *addr, uint32_t mask)
{
    uint64_t first = addr[__builtin_ctz(mask)];
    __m256i  base  = _mm256_set1_epi64x((long long)((first & ~(uint64_t)(MODEL_LINE - 1)) - (UINT64_C(1) << 31)));
    __m256i  over = _mm256_setzero_si256(), pick = _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6);
#pragma GCC unroll 8
    for (int g = 0; g < 8; g++) {
        __m256i d = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(addr + 4 * g)), base);
        __m256i m = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(active(mask >> 4 * (g & 6), 0)));
        if (g & 1)
            m = _mm256_cvtepi32_epi64(_mm256_extracti128_si256(active(mask >> 4 * (g & 6), 0), 1));
        if (mask == UINT32_MAX)
            m = _mm256_set1_epi64x(-1);
        over = _mm256_or_si256(over, _mm256_and_si256(d, m));
        _mm_store_si128((__m128i *)(k->at + 4 * g), _mm256_castsi256_si128(_mm256_permutevar8x32_epi32(d, pick)));
    }
    fill_idle(k, mask);
    return _mm256_testz_si256(over, _mm256_set1_epi64x((long long)0xffffffff00000000ull));
}

/* ---- distinct keys: of those that are equal, which are counted?  Idle lanes do not matter (fill_idle). ---- */

/* The last one that wrote its number where the key says is the only one there, or others there have its key, or by chance another one. */
AVX2 INLINE uint32_t distinct_avx2(const Keys *k, unsigned shift)
{
    enum { PLACES = 4096 };
    uint8_t  last[PLACES], who[LANES] __attribute__((aligned(32)));
    uint32_t key[LANES] __attribute__((aligned(32))), place[LANES] __attribute__((aligned(32)));
    for (int g = 0; g < 4; g++) {
        __m256i x =
            _mm256_srl_epi32(_mm256_load_si256((const __m256i *)(k->at + 8 * g)), _mm_cvtsi32_si128((int)shift));
        __m256i h = _mm256_srli_epi32(_mm256_mullo_epi32(x, _mm256_set1_epi32((int)0x9e3779b1u)), 20);
        _mm256_store_si256((__m256i *)(key + 8 * g), x);
        _mm256_store_si256((__m256i *)(place + 8 * g), h);
    }
#pragma GCC unroll 32
    for (unsigned i = 0; i < LANES; i++)
        last[place[i]] = (uint8_t)i;
#pragma GCC unroll 32
    for (unsigned i = 0; i < LANES; i++)
        who[i] = last[place[i]];
    __m256i  self   = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22,
                                       23, 24, 25, 26, 27, 28, 29, 30, 31);
    __m256i  same   = _mm256_cmpeq_epi8(_mm256_load_si256((const __m256i *)who), self);
    uint32_t counts = (uint32_t)_mm256_movemask_epi8(same);
    for (uint32_t left = ~counts; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left), j = who[i];
        if (key[i] == key[j])
            continue;
        for (j = i + 1; j < LANES && key[j] != key[i]; j++)
            ;
        counts |= (uint32_t)(j == LANES) << i;
    }
    return counts;
}

AVX512 INLINE uint32_t distinct_avx512(const Keys *k, unsigned shift)
{
    __m128i   n = _mm_cvtsi32_si128((int)shift);
    __m512i   x = _mm512_srl_epi32(_mm512_load_si512(k->at), n), y = _mm512_srl_epi32(_mm512_load_si512(k->at + 16), n);
    __m512i   cx = _mm512_conflict_epi32(x), cy = _mm512_conflict_epi32(y);
    __mmask16 a = _mm512_test_epi32_mask(cx, cx), b = _mm512_test_epi32_mask(cy, cy);
#define TURN(r) b = _kor_mask16(b, _mm512_cmpeq_epi32_mask(y, _mm512_alignr_epi32(x, x, r)));
    TURN(0)
    TURN(1)
    TURN(2)
    TURN(3)
    TURN(4) TURN(5) TURN(6) TURN(7) TURN(8) TURN(9) TURN(10) TURN(11) TURN(12) TURN(13) TURN(14) TURN(15)
#undef TURN
        return ~((uint32_t)a | (uint32_t)b << 16);
}

typedef uint32_t Distinct(const Keys *k, unsigned shift);

/* ---- the three spaces ---- */

AVX2 INLINE void sectors_cost(uint32_t lines, uint32_t sectors, uint32_t bytes, const Access *a, ModelCost *out)
{
    uint32_t packed   = ((uint32_t)__builtin_popcount(a->mask) * a->bytes + MODEL_SECTOR - 1) / MODEL_SECTOR;
    out->requests     = 1;
    out->tag_requests = lines;
    out->touched = out->sectors = out->transactions = sectors;
    out->moved_bytes                                = sectors * MODEL_SECTOR;
    out->useful_bytes                               = bytes;
    out->ideal                                      = packed < sectors ? packed : sectors;
}

AVX2 INLINE bool global_cost(const Access *a, ModelCost *out, Distinct *distinct)
{
    Keys     k;
    unsigned element = (unsigned)__builtin_ctz(a->bytes);
    if (!keys_far(&k, a->addr, a->mask))
        return false;
    uint32_t lines = (uint32_t)__builtin_popcount(distinct(&k, 7)), lanes = (uint32_t)__builtin_popcount(a->mask);
    if (lines == lanes) {
        sectors_cost(lines, lines, lines * a->bytes, a, out);
        return true;
    }
    uint32_t sectors  = (uint32_t)__builtin_popcount(distinct(&k, 5));
    uint32_t elements = sectors == lanes ? lanes : (uint32_t)__builtin_popcount(distinct(&k, element));
    sectors_cost(lines, sectors, elements * a->bytes, a, out);
    return true;
}

AVX2 INLINE uint32_t most_of(__m256i n)
{
    __m128i x = _mm_max_epu8(_mm256_castsi256_si128(n), _mm256_extracti128_si256(n, 1));
    x         = _mm_sub_epi8(_mm_set1_epi8(-1), x); /* there is a smallest of 16-bit numbers */
    x         = _mm_min_epu8(x, _mm_srli_epi16(x, 8));
    x         = _mm_minpos_epu16(_mm_and_si128(x, _mm_set1_epi16(0xff)));
    return 255 - ((uint32_t)_mm_cvtsi128_si32(x) & 0xff);
}

/* Passes over the banks for the words of the lanes that count. */
AVX2 INLINE uint32_t passes_of(const Keys *k, uint32_t counts)
{
    __m256i n = _mm256_setzero_si256();
    if (counts == UINT32_MAX) {
#pragma GCC unroll 32
        for (unsigned i = 0; i < LANES; i++)
            n = _mm256_add_epi8(n, *(const __m256i *)one_of[k->at[i] >> 2 & (BANKS - 1)]);
        return most_of(n);
    }
    for (; counts; counts &= counts - 1)
        n = _mm256_add_epi8(n, *(const __m256i *)one_of[k->at[__builtin_ctz(counts)] >> 2 & (BANKS - 1)]);
    return most_of(n);
}

AVX2 INLINE bool shared_cost(const Access *a, ModelOp op, ModelCost *out, Distinct *distinct)
{
    Keys k;
    bool atomic = op == MODEL_ATOM || op == MODEL_RED;
    if (a->bytes > 4)
        return false;
    keys_near(&k, a->off, a->mask);
    out->wavefronts = passes_of(&k, atomic ? a->mask : distinct(&k, 2)); /* an idle lane may count for the first one */
    out->ideal_wavefronts = 1;
    out->conflicts        = out->wavefronts - 1;
    return true;
}

/* Rows from the lowest on as bits of a lane's words; idle lanes: none. */
AVX2 INLINE __m256i rows_of(__m256i row, __m256i on, int half, uint64_t words)
{
    row = _mm256_or_si256(row, _mm256_andnot_si256(on, _mm256_set1_epi32(64))); /* too far: nothing is left */
    return _mm256_sllv_epi64(
        _mm256_set1_epi64x((long long)words),
        _mm256_cvtepu32_epi64(half ? _mm256_extracti128_si256(row, 1) : _mm256_castsi256_si128(row)));
}

AVX2 INLINE bool local_cost(const Access *a, ModelCost *out)
{
    Keys     k;
    uint32_t words = a->bytes > 4 ? a->bytes / 4 : 1;
    keys_near(&k, a->off, a->mask);
    __m256i low = _mm256_set1_epi32(-1), high = _mm256_setzero_si256(), row[4];
    for (int g = 0; g < 4; g++) {
        row[g] = _mm256_srli_epi32(_mm256_load_si256((const __m256i *)(k.at + 8 * g)), 2);
        low    = _mm256_min_epu32(low, row[g]);
        high   = _mm256_max_epu32(high, row[g]);
    }
    low  = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
    low  = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4e));
    low  = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xb1));
    high = _mm256_sub_epi32(high, low);
    if (!_mm256_testz_si256(
            _mm256_cmpgt_epi32(_mm256_srli_epi32(_mm256_add_epi32(high, _mm256_set1_epi32((int)words - 1)), 6),
                               _mm256_setzero_si256()),
            _mm256_set1_epi32(-1)))
        return false;
    uint32_t sectors = 0;
    uint64_t all     = 0;
    for (int g = 0; g < 4; g++) {
        __m256i  on = active(a->mask, g), r = _mm256_sub_epi32(row[g], low);
        __m256i  x    = _mm256_or_si256(rows_of(r, on, 0, (UINT64_C(1) << words) - 1),
                                        rows_of(r, on, 1, (UINT64_C(1) << words) - 1));
        __m128i  y    = _mm_or_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        uint64_t rows = (uint64_t)_mm_cvtsi128_si64(y) | (uint64_t)_mm_extract_epi64(y, 1);
        sectors += (uint32_t)__builtin_popcountll(rows);
        all |= rows;
    }
    sectors_cost((uint32_t)__builtin_popcountll(all), sectors, (uint32_t)__builtin_popcount(a->mask) * a->bytes, a,
                 out);
    return true;
}

/* Which rules they are. */
AVX2 INLINE bool cost(const Profile *p, const Access *a, ModelOp op, ModelCost *out, Distinct *distinct)
{
    const Arch *h      = p->arch;
    bool        atomic = op == MODEL_ATOM || op == MODEL_RED;
    memset(out, 0, sizeof *out);
    switch (a->space) {
    case ACCESS_GLOBAL: return h->global_rule == GLOBAL_SECTORS && !atomic && global_cost(a, out, distinct);
    case ACCESS_LOCAL: return h->global_rule == GLOBAL_SECTORS && local_cost(a, out);
    case ACCESS_SHARED:
        return (h->bank_rule == BANKS_SPLIT || h->bank_rule == BANKS_PAIRED) && h->banks == BANKS &&
               h->bank_bytes == 4 && (op == MODEL_LD || op == MODEL_ST || atomic) && shared_cost(a, op, out, distinct);
    default: return false;
    }
}

AVX2 static bool cost_avx2(const Profile *p, const Access *a, ModelOp op, ModelCost *out)
{
    return cost(p, a, op, out, distinct_avx2);
}

AVX512 static bool cost_avx512(const Profile *p, const Access *a, ModelOp op, ModelCost *out)
{
    return cost(p, a, op, out, distinct_avx512);
}

Scatter *scatter_best(void)
{
    Simd level = simd_best();
    return level == SIMD_AVX512 ? cost_avx512 : level == SIMD_AVX2 ? cost_avx2 : NULL;
}
#else
Scatter *scatter_best(void)
{
    return NULL;
}
#endif
