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

enum { BANKS = 32, LINE_BITS = 7, SECTOR_BITS = 5 };
_Static_assert(MODEL_LINE == 1 << LINE_BITS && MODEL_SECTOR == 1 << SECTOR_BITS, "the model's");

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

/* Word w of eight rows of banks: its row's bit in its bank's byte. */
enum { ROWS = 8 };
static const uint8_t bit_of[ROWS * BANKS][BANKS] __attribute__((aligned(64))) = {
#define W(w)   [w][(w) % BANKS] = 1u << (w) / BANKS,
#define W4(w)  W(w) W((w) + 1) W((w) + 2) W((w) + 3)
#define W16(w) W4(w) W4((w) + 4) W4((w) + 8) W4((w) + 12)
#define W64(w) W16(w) W16((w) + 16) W16((w) + 32) W16((w) + 48)
    W64(0) W64(64) W64(128) W64(192)
#undef W64
#undef W16
#undef W4
#undef W
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
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i *at = (__m256i *)(k->at + 8 * g);
        *at         = _mm256_blendv_epi8(first, *at, active(mask, g));
    }
}

/* Keys are stored as wide as they are loaded, here and below: else the load would wait for all of the stores. */
AVX2 INLINE void keys_near(Keys *k, const uint32_t *off, uint32_t mask)
{
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++)
        _mm256_store_si256((__m256i *)(k->at + 8 * g), _mm256_loadu_si256((const __m256i *)(off + 8 * g)));
    fill_idle(k, mask);
}

/* Distances from a line near the first active lane; false: some do not fit. */
AVX2 INLINE bool keys_far(Keys *k, const uint64_t *addr, uint32_t mask)
{
    uint64_t base = (addr[__builtin_ctz(mask)] & ~(uint64_t)(MODEL_LINE - 1)) - (UINT64_C(1) << 31);
    __m256i  from = _mm256_set1_epi64x((long long)base), over = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i x    = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(addr + 8 * g)), from);
        __m256i y    = _mm256_sub_epi64(_mm256_loadu_si256((const __m256i *)(addr + 8 * g + 4)), from);
        __m256i a    = _mm256_permute2x128_si256(x, y, 0x20),
                b    = _mm256_permute2x128_si256(x, y, 0x31); /* lanes 0 1 4 5, 2 3 6 7 */
        __m256  low  = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0x88);
        __m256  high = _mm256_shuffle_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), 0xdd);
        __m256i h    = _mm256_castps_si256(high);
        over         = _mm256_or_si256(over, mask == UINT32_MAX ? h : _mm256_and_si256(h, active(mask, g)));
        _mm256_store_si256((__m256i *)(k->at + 8 * g), _mm256_castps_si256(low));
    }
    fill_idle(k, mask);
    return _mm256_testz_si256(over, over);
}

/* The same in registers of 64 bytes. */
AVX512 INLINE void keys_near_wide(Keys *k, const uint32_t *off, uint32_t mask)
{
    __m512i first = _mm512_set1_epi32((int)off[__builtin_ctz(mask)]);
    _mm512_store_si512(k->at, _mm512_mask_loadu_epi32(first, (__mmask16)mask, off));
    _mm512_store_si512(k->at + 16, _mm512_mask_loadu_epi32(first, (__mmask16)(mask >> 16), off + 16));
}

AVX512 INLINE bool keys_far_wide(Keys *k, const uint64_t *addr, uint32_t mask)
{
    uint64_t first = addr[__builtin_ctz(mask)], base = (first & ~(uint64_t)(MODEL_LINE - 1)) - (UINT64_C(1) << 31);
    __m512i  from = _mm512_set1_epi64((long long)base), idle = _mm512_set1_epi64((long long)first), x[4];
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++)
        x[g] = _mm512_sub_epi64(_mm512_mask_loadu_epi64(idle, (__mmask8)(mask >> 8 * g), addr + 8 * g), from);
    __m512i over = _mm512_or_si512(_mm512_or_si512(x[0], x[1]), _mm512_or_si512(x[2], x[3]));
#pragma GCC unroll 4
    for (int g = 0; g < 2; g++)
        _mm512_store_si512(k->at + 16 * g, _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(x[2 * g])),
                                                              _mm512_cvtepi64_epi32(x[2 * g + 1]), 1));
    return _mm512_test_epi64_mask(over, _mm512_set1_epi64((long long)0xffffffff00000000ull)) == 0;
}

/* ---- distinct keys: of those that are equal, the first is counted.  Idle lanes do not matter (fill_idle). ---- */

/* Each lane beside all before it: eight of them are turned by r, and stand beside their own later ones and all others. */
AVX2 INLINE uint32_t distinct_whole(const Keys *k, unsigned shift)
{
    __m256i x[4], twice[4];
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        x[g]     = _mm256_srl_epi32(_mm256_load_si256((const __m256i *)(k->at + 8 * g)), _mm_cvtsi32_si128((int)shift));
        twice[g] = _mm256_setzero_si256();
    }
#pragma GCC unroll 8
    for (int r = 0; r < 8; r++) {
        __m256i by    = _mm256_sub_epi32(_mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15), _mm256_set1_epi32(r));
        __m256i later = _mm256_cmpgt_epi32(by, _mm256_set1_epi32(7)); /* the lane beside it stands before it */
#pragma GCC unroll 4
        for (int g = 0; g < 4; g++) {
            __m256i y = r ? _mm256_permutevar8x32_epi32(x[g], by) : x[g];
            if (r)
                twice[g] = _mm256_or_si256(twice[g], _mm256_and_si256(_mm256_cmpeq_epi32(x[g], y), later));
#pragma GCC unroll 4
            for (int h = g + 1; h < 4; h++)
                twice[h] = _mm256_or_si256(twice[h], _mm256_cmpeq_epi32(x[h], y));
        }
    }
    uint32_t all = 0;
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++)
        all |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(twice[g])) << 8 * g;
    return ~all;
}

/* Keys of 16 bits, 32 of them in two registers: half the work.  Which lane stands where: lanes_of. */
typedef struct Halves {
    __m256i x, y;
} Halves;

AVX2 INLINE uint32_t lanes_of(__m256i x, __m256i y)
{
    __m256i all = _mm256_packs_epi16(x, y);
    return (uint32_t)_mm256_movemask_epi8(_mm256_permutevar8x32_epi32(all, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7)));
}

/* Their bits folded: equal keys are equal still, and others hardly ever. */
AVX2 INLINE Halves halves_folded(const Keys *k, unsigned shift)
{
    __m256i x[4];
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i key =
            _mm256_srl_epi32(_mm256_load_si256((const __m256i *)(k->at + 8 * g)), _mm_cvtsi32_si128((int)shift));
        x[g] = _mm256_xor_si256(key, _mm256_srli_epi32(key, 16));
        x[g] = _mm256_blend_epi16(x[g], _mm256_setzero_si256(), 0xaa);
    }
    return (Halves){_mm256_packus_epi32(x[0], x[1]), _mm256_packus_epi32(x[2], x[3])};
}

/* Distances from the first one's, none of them 0; false: some do not fit. */
AVX2 INLINE bool halves_of(const Keys *k, unsigned shift, Halves *out)
{
    __m256i x[4], over = _mm256_setzero_si256(), from = _mm256_set1_epi32((int)((k->at[0] >> shift) - 0x8000));
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i key =
            _mm256_srl_epi32(_mm256_load_si256((const __m256i *)(k->at + 8 * g)), _mm_cvtsi32_si128((int)shift));
        x[g] = _mm256_sub_epi32(key, from);
        over = _mm256_or_si256(over, _mm256_or_si256(x[g], _mm256_sub_epi32(x[g], _mm256_set1_epi32(1))));
    }
    *out = (Halves){_mm256_packus_epi32(x[0], x[1]), _mm256_packus_epi32(x[2], x[3])};
    return _mm256_testz_si256(over, _mm256_set1_epi32((int)0xffff0000));
}

/* n places on, those before filled with 0; or with those that leave at the end.  n: 1 to 15 */
#define ON(x, low, n)                                                                                                  \
    ((n) < 8    ? _mm256_alignr_epi8(x, low, 16 - 2 * ((n) % 8))                                                       \
     : (n) == 8 ? (low)                                                                                                \
                : _mm256_slli_si256(low, 2 * ((n) % 8)))
#define ROUND(x, turned, n)                                                                                            \
    ((n) < 8    ? _mm256_alignr_epi8(turned, x, 2 * ((n) % 8))                                                         \
     : (n) == 8 ? (turned)                                                                                             \
                : _mm256_alignr_epi8(x, turned, 2 * ((n) % 8)))
#define TURNS_8(X)        X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)
#define TURNS_15(X)       TURNS_8(X) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define OR_EQUAL(d, a, b) (d) = _mm256_or_si256(d, _mm256_cmpeq_epi16(a, b))

/* Of lanes with one key all but one are named; no key is 0. */
AVX2 INLINE uint32_t twice_of(Halves h)
{
    __m256i nothing = _mm256_setzero_si256();
    __m256i xlow = _mm256_permute2x128_si256(h.x, h.x, 0x08), ylow = _mm256_permute2x128_si256(h.y, h.y, 0x08);
    __m256i yturned = _mm256_permute2x128_si256(h.y, h.y, 1), x = nothing, y = nothing;
#define TURN(n)                                                                                                        \
    OR_EQUAL(x, h.x, ON(h.x, xlow, n));                                                                                \
    OR_EQUAL(y, h.y, ON(h.y, ylow, n));                                                                                \
    OR_EQUAL(x, h.x, ROUND(h.y, yturned, n));
    TURNS_15(TURN)
#undef TURN
    OR_EQUAL(x, h.x, h.y);
    return lanes_of(x, y);
}

/* A lane of each pair of lanes with one key, at least. */
AVX2 INLINE uint32_t paired(Halves h)
{
    __m256i xturned = _mm256_permute2x128_si256(h.x, h.x, 1), yturned = _mm256_permute2x128_si256(h.y, h.y, 1);
    __m256i x = _mm256_cmpeq_epi16(h.x, h.y), y = _mm256_setzero_si256();
#define TURN(n)                                                                                                        \
    OR_EQUAL(x, h.x, ROUND(h.x, xturned, n));                                                                          \
    OR_EQUAL(y, h.y, ROUND(h.y, yturned, n));
    TURNS_8(TURN)
#undef TURN
#define TURN(n) OR_EQUAL(x, h.x, ROUND(h.y, yturned, n));
    TURNS_15(TURN)
#undef TURN
    return lanes_of(x, y);
}

AVX2 INLINE uint32_t distinct_avx2(const Keys *k, unsigned shift)
{
    Halves h;
    return halves_of(k, shift, &h) ? ~twice_of(h) : distinct_whole(k, shift);
}

AVX512 INLINE uint32_t distinct_avx512(const Keys *k, unsigned shift)
{
    __m128i   n = _mm_cvtsi32_si128((int)shift);
    __m512i   x = _mm512_srl_epi32(_mm512_load_si512(k->at), n), y = _mm512_srl_epi32(_mm512_load_si512(k->at + 16), n);
    __m512i   cx = _mm512_conflict_epi32(x), cy = _mm512_conflict_epi32(y);
    __mmask16 a = _mm512_test_epi32_mask(cx, cx), b = _mm512_test_epi32_mask(cy, cy);
#define TURN(r) b = _kor_mask16(b, _mm512_cmpeq_epi32_mask(y, _mm512_alignr_epi32(x, x, r)));
#define TURNS(r)                                                                                                       \
    TURN(r)                                                                                                            \
    TURN((r) + 1)                                                                                                      \
    TURN((r) + 2)                                                                                                      \
    TURN((r) + 3)
    TURNS(0)
    TURNS(4)
    TURNS(8)
    TURNS(12)
#undef TURNS
#undef TURN
    return ~((uint32_t)a | (uint32_t)b << 16);
}

/* The lanes of lane i's key. */
AVX2 INLINE uint32_t like(const Keys *k, unsigned i, unsigned shift)
{
    __m128i  n     = _mm_cvtsi32_si128((int)shift);
    __m256i  mine  = _mm256_set1_epi32((int)(k->at[i] >> shift));
    uint32_t equal = 0;
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i x = _mm256_srl_epi32(_mm256_load_si256((const __m256i *)(k->at + 8 * g)), n);
        equal |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(x, mine))) << 8 * g;
    }
    return equal;
}

/* Which of the lanes in `twice` are not the first of their key either?  Those of a finer key are among those of a coarser one. */
AVX2 INLINE uint32_t still_twice(const Keys *k, uint32_t twice, unsigned shift)
{
    uint32_t still = 0;
    for (uint32_t left = twice; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        still |= (uint32_t)((like(k, i, shift) & ((1u << i) - 1)) != 0) << i;
    }
    return still;
}

/* Of lanes with a line in common mostly few. */
enum { FEW = 8 };

/* The lanes that are not the first of their line, where they are few; else false. */
AVX2 INLINE bool few_avx2(const Keys *k, uint32_t *twice)
{
    uint32_t left = paired(halves_folded(k, LINE_BITS));
    if (__builtin_popcount(left) > FEW)
        return false;
    for (*twice = 0; left;) {
        uint32_t equal = like(k, (unsigned)__builtin_ctz(left), LINE_BITS);
        *twice |= equal & (equal - 1);
        left &= ~equal;
    }
    return true;
}

AVX512 INLINE bool few_avx512(const Keys *k, uint32_t *twice)
{
    *twice = ~distinct_avx512(k, LINE_BITS);
    return __builtin_popcount(*twice) <= FEW;
}

typedef struct Counts { /* distinct ones */
    uint32_t lines, sectors, elements;
} Counts;

/* Line by line, a bit for each element of it, where lines are few; false: they are not, or there are more elements than bits. */
enum { FEW_LINES = 8, WORD_BITS = 2 };
AVX2 INLINE bool line_by_line(const Keys *k, unsigned element, Counts *n)
{
    static const uint32_t first_of_sector[] = {0, 0, 0x01010101, 0x1111, 0x55, 0xf};
    __m256i               line[4], bit[4];
    if (element < WORD_BITS)
        return false;
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i x = _mm256_load_si256((const __m256i *)(k->at + 8 * g));
        line[g]   = _mm256_srli_epi32(x, LINE_BITS);
        bit[g]    = _mm256_and_si256(_mm256_srl_epi32(x, _mm_cvtsi32_si128((int)element)),
                                     _mm256_set1_epi32((MODEL_LINE - 1) >> element));
        bit[g]    = _mm256_sllv_epi32(_mm256_set1_epi32(1), bit[g]);
    }
    *n = (Counts){0};
    for (uint32_t left = UINT32_MAX; left; n->lines++) {
        __m256i  mine = _mm256_set1_epi32((int)(k->at[__builtin_ctz(left)] >> LINE_BITS)), all = _mm256_setzero_si256();
        uint32_t equal = 0;
        if (n->lines == FEW_LINES)
            return false;
#pragma GCC unroll 4
        for (int g = 0; g < 4; g++) {
            __m256i e = _mm256_cmpeq_epi32(line[g], mine);
            all       = _mm256_or_si256(all, _mm256_and_si256(e, bit[g]));
            equal |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(e)) << 8 * g;
        }
        __m128i half  = _mm_or_si128(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
        half          = _mm_or_si128(half, _mm_shuffle_epi32(half, 0x4e));
        uint32_t bits = (uint32_t)_mm_cvtsi128_si32(_mm_or_si128(half, _mm_shuffle_epi32(half, 0xb1)));
        n->elements += (uint32_t)__builtin_popcount(bits);
        for (unsigned s = MODEL_SECTOR / 2 >> element; s; s /= 2)
            bits |= bits >> s;
        n->sectors += (uint32_t)__builtin_popcount(bits & first_of_sector[element]);
        left &= ~equal;
    }
    return true;
}

typedef struct Level { /* what a level does in its own way */
    bool (*keys_far)(Keys *k, const uint64_t *addr, uint32_t mask);
    void (*keys_near)(Keys *k, const uint32_t *off, uint32_t mask);
    uint32_t (*distinct)(const Keys *k, unsigned shift);
    bool (*few)(const Keys *k, uint32_t *twice);
    bool (*rows_near)(const uint32_t *off, uint32_t mask, uint32_t words, uint64_t rows[LANES / 8]);
} Level;

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

AVX2 INLINE bool global_cost(const Access *a, ModelCost *out, Level l)
{
    Keys     k;
    unsigned element = (unsigned)__builtin_ctz(a->bytes);
    uint32_t twice;
    Counts   n;
    if (!l.keys_far(&k, a->addr, a->mask))
        return false;
    if (l.few(&k, &twice)) {
        uint32_t lines   = 32 - (uint32_t)__builtin_popcount(twice);
        twice            = still_twice(&k, twice, SECTOR_BITS);
        uint32_t sectors = 32 - (uint32_t)__builtin_popcount(twice);
        twice            = still_twice(&k, twice, element);
        sectors_cost(lines, sectors, (32 - (uint32_t)__builtin_popcount(twice)) * a->bytes, a, out);
        return true;
    }
    if (!line_by_line(&k, element, &n)) {
        n.lines    = (uint32_t)__builtin_popcount(l.distinct(&k, LINE_BITS));
        n.sectors  = (uint32_t)__builtin_popcount(l.distinct(&k, SECTOR_BITS));
        n.elements = (uint32_t)__builtin_popcount(l.distinct(&k, element));
    }
    sectors_cost(n.lines, n.sectors, n.elements * a->bytes, a, out);
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
    const uint8_t *table = one_of[0];
    __m256i        n     = _mm256_setzero_si256();
    Keys           row; /* where the word's bank has its row */
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i at = _mm256_load_si256((const __m256i *)(k->at + 8 * g));
        at         = _mm256_and_si256(_mm256_slli_epi32(at, 3), _mm256_set1_epi32((BANKS - 1) * BANKS));
        _mm256_store_si256((__m256i *)(row.at + 8 * g), at);
    }
    if (counts == UINT32_MAX) {
        __m256i m[4] = {n, n, n, n}; /* four sums, none of which waits for another */
#pragma GCC unroll 32
        for (unsigned i = 0; i < LANES; i++)
            m[i % 4] = _mm256_add_epi8(m[i % 4], *(const __m256i *)(table + row.at[i]));
        return most_of(_mm256_add_epi8(_mm256_add_epi8(m[0], m[1]), _mm256_add_epi8(m[2], m[3])));
    }
    for (; counts; counts &= counts - 1)
        n = _mm256_add_epi8(n, *(const __m256i *)(table + row.at[__builtin_ctz(counts)]));
    return most_of(n);
}

/* The same for the distinct words, where they lie in eight rows. */
AVX2 INLINE bool passes_near(const Keys *k, uint32_t *passes)
{
    Keys    word;
    __m256i low = _mm256_load_si256((const __m256i *)k->at), high = low, n[4];
#pragma GCC unroll 4
    for (int g = 1; g < 4; g++) {
        low  = _mm256_min_epu32(low, _mm256_load_si256((const __m256i *)(k->at + 8 * g)));
        high = _mm256_max_epu32(high, _mm256_load_si256((const __m256i *)(k->at + 8 * g)));
    }
    low  = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
    low  = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4e));
    low  = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xb1));
    low  = _mm256_and_si256(low, _mm256_set1_epi32(-4 * BANKS)); /* where a row begins */
    high = _mm256_sub_epi32(high, low);
    if (!_mm256_testz_si256(high, _mm256_set1_epi32(-4 * BANKS * ROWS)))
        return false;
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i at = _mm256_sub_epi32(_mm256_load_si256((const __m256i *)(k->at + 8 * g)), low);
        at         = _mm256_and_si256(_mm256_slli_epi32(at, 3), _mm256_set1_epi32(-BANKS));
        _mm256_store_si256((__m256i *)(word.at + 8 * g), at);
        n[g] = _mm256_setzero_si256();
    }
#pragma GCC unroll 32
    for (unsigned i = 0; i < LANES; i++)
        n[i % 4] = _mm256_or_si256(n[i % 4], *(const __m256i *)(bit_of[0] + word.at[i]));
    __m256i rows = _mm256_or_si256(_mm256_or_si256(n[0], n[1]), _mm256_or_si256(n[2], n[3]));
    __m256i ones = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    __m256i four = _mm256_set1_epi8(15);
    __m256i some = _mm256_shuffle_epi8(ones, _mm256_and_si256(rows, four));
    __m256i more = _mm256_shuffle_epi8(ones, _mm256_and_si256(_mm256_srli_epi16(rows, 4), four));
    *passes      = most_of(_mm256_add_epi8(some, more));
    return true;
}

AVX2 INLINE bool shared_cost(const Access *a, ModelOp op, ModelCost *out, Level l)
{
    Keys k;
    bool atomic = op == MODEL_ATOM || op == MODEL_RED;
    if (a->bytes > 4)
        return false;
    l.keys_near(&k, a->off, a->mask);
    if (atomic || !passes_near(&k, &out->wavefronts)) /* an idle lane may count for the first one */
        out->wavefronts = passes_of(&k, atomic ? a->mask : l.distinct(&k, 2));
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

/* The rows of each group of eight lanes, which have a sector of each row; false: they lie too far apart. */
AVX2 INLINE bool rows_near(const uint32_t *off, uint32_t mask, uint32_t words, uint64_t rows[LANES / 8])
{
    Keys     k;
    uint64_t bits = (UINT64_C(1) << words) - 1;
    __m256i  row[4], low = _mm256_set1_epi32(-1), high = _mm256_setzero_si256(),
                    more = _mm256_set1_epi32((int)words - 1);
    keys_near(&k, off, mask);
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        row[g] = _mm256_srli_epi32(_mm256_load_si256((const __m256i *)(k.at + 8 * g)), 2);
        low    = _mm256_min_epu32(low, row[g]);
        high   = _mm256_max_epu32(high, row[g]);
    }
    low  = _mm256_min_epu32(low, _mm256_permute2x128_si256(low, low, 1));
    low  = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0x4e));
    low  = _mm256_min_epu32(low, _mm256_shuffle_epi32(low, 0xb1));
    high = _mm256_srli_epi32(_mm256_add_epi32(_mm256_sub_epi32(high, low), more), 6);
    if (!_mm256_testz_si256(high, high))
        return false;
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i on = active(mask, g), r = _mm256_sub_epi32(row[g], low);
        __m256i x = _mm256_or_si256(rows_of(r, on, 0, bits), rows_of(r, on, 1, bits));
        __m128i y = _mm_or_si128(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
        rows[g]   = (uint64_t)_mm_cvtsi128_si64(y) | (uint64_t)_mm_extract_epi64(y, 1);
    }
    return true;
}

AVX512 INLINE bool rows_near_wide(const uint32_t *off, uint32_t mask, uint32_t words, uint64_t rows[LANES / 8])
{
    __m512i more = _mm512_set1_epi32((int)words - 1), bits = _mm512_set1_epi64((1ll << words) - 1), v[4];
    __m512i idle = _mm512_set1_epi32((int)off[__builtin_ctz(mask)]);
    __m512i x    = _mm512_srli_epi32(_mm512_mask_loadu_epi32(idle, (__mmask16)mask, off), 2);
    __m512i y    = _mm512_srli_epi32(_mm512_mask_loadu_epi32(idle, (__mmask16)(mask >> 16), off + 16), 2);
    __m512i far  = _mm512_set1_epi32(~63);
    if (_mm512_test_epi32_mask(_mm512_or_si512(_mm512_add_epi32(x, more), _mm512_add_epi32(y, more)), far)) {
        __m512i low = _mm512_set1_epi32((int)_mm512_reduce_min_epu32(_mm512_min_epu32(x, y)));
        x = _mm512_sub_epi32(x, low), y = _mm512_sub_epi32(y, low);
        if (_mm512_test_epi32_mask(_mm512_or_si512(_mm512_add_epi32(x, more), _mm512_add_epi32(y, more)), far))
            return false;
    }
#pragma GCC unroll 4
    for (int g = 0; g < 4; g++) {
        __m256i half = g & 1 ? _mm512_extracti64x4_epi64(g & 2 ? y : x, 1) : _mm512_castsi512_si256(g & 2 ? y : x);
        v[g]         = _mm512_maskz_sllv_epi64((__mmask8)(mask >> 8 * g), bits, _mm512_cvtepu32_epi64(half));
    }
    /* each vector's eight brought together: those of v[0] and v[1] in the first two places, of the others in places 4 and 5 */
    __m512i a = _mm512_or_si512(_mm512_unpacklo_epi64(v[0], v[1]), _mm512_unpackhi_epi64(v[0], v[1]));
    __m512i b = _mm512_or_si512(_mm512_unpacklo_epi64(v[2], v[3]), _mm512_unpackhi_epi64(v[2], v[3]));
    __m512i c = _mm512_or_si512(_mm512_shuffle_i64x2(a, b, 0x88), _mm512_shuffle_i64x2(a, b, 0xdd));
    c         = _mm512_or_si512(c, _mm512_shuffle_i64x2(c, c, 0xb1));
    _mm_storeu_si128((__m128i *)rows, _mm512_castsi512_si128(c));
    _mm_storeu_si128((__m128i *)(rows + 2), _mm512_extracti64x2_epi64(c, 2));
    return true;
}

AVX2 INLINE bool local_cost(const Access *a, ModelCost *out, Level l)
{
    uint64_t rows[LANES / 8];
    uint32_t sectors = 0;
    if (!l.rows_near(a->off, a->mask, a->bytes > 4 ? a->bytes / 4 : 1, rows))
        return false;
#pragma GCC unroll 4
    for (int g = 0; g < LANES / 8; g++)
        sectors += (uint32_t)__builtin_popcountll(rows[g]);
    uint32_t lines = (uint32_t)__builtin_popcountll(rows[0] | rows[1] | rows[2] | rows[3]);
    sectors_cost(lines, sectors, (uint32_t)__builtin_popcount(a->mask) * a->bytes, a, out);
    return true;
}

/* Which rules they are. */
AVX2 INLINE bool cost(const Profile *p, const Access *a, ModelOp op, ModelCost *out, Level l)
{
    const Arch *h      = p->arch;
    bool        atomic = op == MODEL_ATOM || op == MODEL_RED;
    memset(out, 0, sizeof *out);
    switch (a->space) {
    case ACCESS_GLOBAL: return h->global_rule == GLOBAL_SECTORS && !atomic && global_cost(a, out, l);
    case ACCESS_LOCAL: return h->global_rule == GLOBAL_SECTORS && local_cost(a, out, l);
    case ACCESS_SHARED:
        return (h->bank_rule == BANKS_SPLIT || h->bank_rule == BANKS_PAIRED) && h->banks == BANKS &&
               h->bank_bytes == 4 && (op == MODEL_LD || op == MODEL_ST || atomic) && shared_cost(a, op, out, l);
    default: return false;
    }
}

AVX2 static bool cost_avx2(const Profile *p, const Access *a, ModelOp op, ModelCost *out)
{
    return cost(p, a, op, out, (Level){keys_far, keys_near, distinct_avx2, few_avx2, rows_near});
}

AVX512 static bool cost_avx512(const Profile *p, const Access *a, ModelOp op, ModelCost *out)
{
    return cost(p, a, op, out, (Level){keys_far_wide, keys_near_wide, distinct_avx512, few_avx512, rows_near_wide});
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
