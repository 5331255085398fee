/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products, as many of 16 rows of A side by side as a register holds (MatrixOps).  What an element is: matrix_sum.c and docs/matrix.md; here the same
 * bits, fast, wherever float arithmetic reaches them:
 *
 *   largest   the largest product of powers of two: a float, since exponents add as the powers multiply
 *   scale     2^fraction / largest, so that (a b) scale, cut to a whole number, is the aligned and cut product
 *   sum       of whole numbers, in 32 bits: 16 products below 2^27 each, and the accumulator, which alone can make it overflow
 *   result    the sum's upper bits times largest / 2^fraction
 *
 * Exact because a product of two significands of up to 11 bits is a float, and scaling by a power of two is exact in range.  Elements
 * outside (infinities, NaN, exponents near a float's ends, a sum of 2^31) are computed one by one by matrix_element. */
#include "emu/matrix/matrix.h"
#include "emu/exec/lane_half.h"
#include "emu/exec/level.h"

typedef float    Floats __attribute__((vector_size(VECTOR)));
typedef int32_t  Ints __attribute__((vector_size(VECTOR)));
typedef uint32_t Bits __attribute__((vector_size(VECTOR)));

enum { WIDTH = VECTOR / 4 }; /* rows of a vector */

/* ---- elements to floats ---- */

INLINE float e4m3_float(uint8_t x)
{
    return f16_to_f32(e4m3_to_f16(x));
}

#define DECODE(name, T, expr)                                                                                          \
    static void decode_##name(const void *from, unsigned n, float *to)                                                 \
    {                                                                                                                  \
        const T *p = from;                                                                                             \
        for (unsigned i = 0; i < n; i++) {                                                                             \
            T x   = p[i];                                                                                              \
            to[i] = expr;                                                                                              \
        }                                                                                                              \
    }
DECODE(f16, uint16_t, f16_to_f32(x))
DECODE(bf16, uint16_t, bf16_to_f32(x))
DECODE(tf32, uint32_t, f32_of(x & ~0x1fffu))
DECODE(e4m3, uint8_t, e4m3_float(x))
DECODE(e5m2, uint8_t, f16_to_f32((uint16_t)(x << 8)))
DECODE(s8, int8_t, (float)x)
DECODE(u8, uint8_t, (float)x)
DECODE(bits, uint32_t, f32_of(x))

static void decode_nibbles(bool is_signed, const void *from, unsigned n, float *to)
{
    const uint8_t *p = from;
    for (unsigned i = 0; i < n; i++) {
        int x = p[i / 2] >> (i % 2 * 4) & 15;
        to[i] = (float)(is_signed && x > 7 ? x - 16 : x);
    }
}

static void decode(Type t, const void *from, unsigned n, float *to)
{
    switch (t) {
    case TY_F16: decode_f16(from, n, to); break;
    case TY_BF16: decode_bf16(from, n, to); break;
    case TY_TF32: decode_tf32(from, n, to); break;
    case TY_E4M3: decode_e4m3(from, n, to); break;
    case TY_E5M2: decode_e5m2(from, n, to); break;
    case TY_S8: decode_s8(from, n, to); break;
    case TY_U8: decode_u8(from, n, to); break;
    case TY_S4:
    case TY_U4: decode_nibbles(t == TY_S4, from, n, to); break;
    default: decode_bits(from, n, to); break;
    }
}

/* ---- vectors ---- */

INLINE Floats splat(float x)
{
    return (Floats){0} + x;
}
INLINE Ints splat_int(int32_t x)
{
    return (Ints){0} + x;
}
INLINE Floats choose(Ints m, Floats t, Floats f)
{
    return (Floats)(((Ints)t & m) | ((Ints)f & ~m));
}

INLINE Floats larger(Floats a, Floats b)
{
#if defined(SIMD_AVX512)
    return (Floats)_mm512_max_ps((__m512)a, (__m512)b);
#elif defined(SIMD_AVX2)
    return (Floats)_mm256_max_ps((__m256)a, (__m256)b);
#elif defined(SIMD_SSE2)
    return (Floats)_mm_max_ps((__m128)a, (__m128)b);
#else
    return choose(a > b, a, b);
#endif
}

/* Rows first and on of a tile's term. */
INLINE Floats rows_at(const float *term, unsigned first)
{
    return *(const Floats *)(const void *)(term + first);
}

enum { FLOAT_EXPONENT = 0x7f800000 };

/* The power of two that is x's exponent, not below the format's smallest; 0 of 0. */
INLINE Floats power_of(Floats x, int least)
{
    Ints e = (Ints)x & FLOAT_EXPONENT, low = splat_int((127 + least) << 23), use = e > low;
    return (Floats)(((e & use) | (low & ~use)) & (x != 0));
}

/* Elements whose products may leave a float's range. */
INLINE Ints out_of_range(Floats x, bool wide)
{
    Ints e = (Ints)x & FLOAT_EXPONENT;
    return wide ? ((e < splat_int((127 - 60) << 23)) | (e > splat_int((127 + 60) << 23))) & (x != 0)
                : e == splat_int(FLOAT_EXPONENT);
}

/* ---- floats ---- */

typedef struct Powers { /* of a tile's elements */
    float    p[MATRIX_TERMS][MATRIX_ROWS] __attribute__((aligned(64)));
    unsigned bad; /* rows with elements out of range */
} Powers;

static void tile_powers(const MatrixRule *r, const MatrixTile *a, Powers *to)
{
    to->bad = 0;
    for (unsigned first = 0; first < MATRIX_ROWS; first += WIDTH) {
        Ints bad = {0};
        for (unsigned k = 0; k < r->terms; k++) {
            Floats x = rows_at(a->a[k], first), p = power_of(x, r->least_a);
            memcpy(to->p[k] + first, &p, sizeof p);
            bad |= out_of_range(x, r->wide);
        }
        to->bad |= pack4(bad) << first;
    }
}

/* The same of a column of B; true: an element is out of range. */
static bool column_powers(const MatrixRule *r, const float *restrict b, float *restrict to)
{
    int32_t bad = 0, low = (127 + r->least_b) << 23, few = r->wide ? (127 - 60) << 23 : 0,
            many = r->wide ? (127 + 60) << 23 : FLOAT_EXPONENT - 1;
    for (unsigned k = 0; k < r->terms; k++) {
        int32_t e = (int32_t)(f32_bits(b[k]) & FLOAT_EXPONENT), is = b[k] != 0 ? -1 : 0, up = e > low ? e : low;
        to[k] = f32_of((uint32_t)(up & is));
        bad |= is & (e < few ? -1 : e > many ? -1 : 0);
    }
    return bad;
}

/* The upper bits of the sum as a float; half: all that matters to one more rounding (the last bit is sticky). */
INLINE Floats upper_bits(Ints sum, unsigned keep, bool half)
{
    Ints sign = sum < 0;
    Bits mag = (Bits)(sum ^ sign) - (Bits)sign, t = mag >> keep;
    t |= t >> 1;
    t |= t >> 2;
    t |= t >> 4;
    Bits kept = mag & ~t;
    if (half)
        kept |= (Bits)((mag & t) != 0) & (t + 1);
    return __builtin_convertvector((Ints)((kept ^ (Bits)sign) - (Bits)sign), Floats);
}

/* The sum of a step and c, of rows first and on.  Rows that need matrix_element are added to *bad. */
INLINE Floats add_step(const MatrixRule *r, const MatrixTile *a, const Powers *pa, unsigned first, const float *b,
                       const float *pb, unsigned k0, unsigned step, Floats c, Ints *bad)
{
    Floats most = power_of(c, r->least_c);
    for (unsigned k = k0; k < k0 + step; k++)
        most = larger(most, rows_at(pa->p[k], first) * pb[k]);
    *bad |= out_of_range(c, false) | ((most != 0) & ((most < splat(0x1p-100f)) | (most > splat(0x1p+120f))));
    most         = larger(most, splat(0x1p-100f));
    Floats scale = (Floats)((Bits)splat_int(0) + ((uint32_t)(254 + r->fraction) << 23) - (Bits)most);
    Bits   added = {0}; /* may wrap in rows that are bad */
    Ints   acc   = __builtin_convertvector(c * scale, Ints);
    for (unsigned k = k0; k < k0 + step; k++)
        added += (Bits) __builtin_convertvector(rows_at(a->a[k], first) * b[k] * scale, Ints);
    Ints sum = (Ints)added, total = (Ints)(added + (Bits)acc);
    *bad |= ((sum ^ total) & (acc ^ total)) < 0;
    return upper_bits(total, r->keep, r->half) * (most * f32_of((uint32_t)(127 - r->fraction) << 23));
}

/* f16_nearest and f16_to_f32 (lane_half.h) of a vector. */
INLINE Bits halves_of(Floats v)
{
    Bits mag = (Bits)v & 0x7fffffffu, sub = (Bits)((Floats)mag + splat(0.5f)) - 0x3f000000u;
    Bits nor = (mag - (112u << 23) + 0xfff + (mag >> 13 & 1)) >> 13, small = (Bits)(mag < 113u << 23),
         r = (sub & small) | (nor & ~small), large = (Bits)(mag >= 143u << 23), nan = (Bits)(mag > INF_F32);
    r = (r & ~large) | (large & INF_F16);
    return ((r | ((Bits)v >> 16 & 0x8000u)) & ~nan) | (nan & NAN_HALF);
}

INLINE Floats halves_to_floats(Bits h)
{
    Bits m = h & 0x7fffu, normal = (m << 13) + (112u << 23) + ((Bits)(m >= INF_F16) & 112u << 23);
    Bits sub = (Bits)(__builtin_convertvector((Ints)m, Floats) * 0x1p-24f), small = (Bits)(m < 0x400u);
    return (Floats)((sub & small) | (normal & ~small) | (h & 0x8000u) << 16);
}

/* The bits of D; rows in `skip` keep C.  Of f16, what rounds to zero is +0. */
INLINE void store(bool half, Floats v, unsigned skip, uint32_t *restrict c)
{
    Bits d = (Bits)v;
    if (half) {
        d = halves_of(v);
        d &= (Bits)((d & 0x7fffu) != 0);
    }
    if (skip == 0)
        memcpy(c, &d, sizeof d);
    for (unsigned i = 0; skip && i < WIDTH; i++)
        c[i] = skip >> i & 1 ? c[i] : d[i];
}

/* Rows first and on of one column, from float C to the bits of D; the steps' size is a constant where it matters.  Returns those that need matrix_element. */
INLINE unsigned column(const MatrixRule *r, const MatrixTile *a, const Powers *pa, unsigned first, const float *b,
                       const float *pb, unsigned step, uint32_t *c)
{
    Floats given, v;
    memcpy(&given, c, sizeof given);
    v        = r->c_last ? splat(0) : given;
    Ints bad = {0};
    for (unsigned k = 0; k < r->terms; k += step) {
        v = add_step(r, a, pa, first, b, pb, k, step, v, &bad);
        if (r->half && (r->c_last || k + step < r->terms))
            v = halves_to_floats(halves_of(v));
    }
    if (r->c_last) {
        bad |= out_of_range(v, false) | out_of_range(given, false);
        v += given;
    }
    unsigned rest = (pack4(bad) | pa->bad >> first) & ((1u << WIDTH) - 1);
    store(r->half, v, rest, c);
    return rest;
}

OUTLINE void multiply_floats(const MatrixRule *r, const MatrixTile *a, const float *b, unsigned columns,
                             MatrixColumn *c)
{
    Powers pa;
    tile_powers(r, a, &pa);
    for (unsigned j = 0; j < columns; j++) {
        const float *bj = b + (size_t)j * r->terms;
        float        pb[MATRIX_TERMS] __attribute__((aligned(64)));
        bool         far  = column_powers(r, bj, pb);
        unsigned     rest = far ? (1u << MATRIX_ROWS) - 1 : 0;
        for (unsigned i = 0; i < MATRIX_ROWS && !far; i += WIDTH)
            rest |= (r->step == 16  ? column(r, a, &pa, i, bj, pb, 16, c[j] + i)
                     : r->step == 8 ? column(r, a, &pa, i, bj, pb, 8, c[j] + i)
                                    : column(r, a, &pa, i, bj, pb, r->step, c[j] + i))
                    << i;
        for (; rest; rest &= rest - 1) {
            unsigned row = (unsigned)__builtin_ctz(rest);
            c[j][row]    = matrix_element(r, a, row, bj, f32_of(c[j][row]));
        }
    }
}

/* ---- whole numbers: sums below 2^24, so floats hold them ---- */

INLINE Ints add_whole(Ints c, Ints sum, bool saturate)
{
    Ints total = (Ints)((Bits)c + (Bits)sum), over = ((c ^ total) & (sum ^ total)) < 0;
    if (!saturate)
        return total;
    return (total & ~over) | (((c >> 31) ^ INT32_MAX) & over);
}

static void multiply_whole(const MatrixRule *r, const MatrixTile *a, const float *b, unsigned columns, MatrixColumn *c)
{
    for (unsigned j = 0; j < columns; j++, b += r->terms)
        for (unsigned i = 0; i < MATRIX_ROWS; i += WIDTH) {
            Floats sum = {0};
            Ints   d;
            for (unsigned k = 0; k < r->terms; k++)
                sum += rows_at(a->a[k], i) * b[k];
            memcpy(&d, c[j] + i, sizeof d);
            d = add_whole(d, __builtin_convertvector(sum, Ints), r->satfinite);
            memcpy(c[j] + i, &d, sizeof d);
        }
}

static void multiply_bits(const MatrixRule *r, const MatrixTile *a, const float *b, unsigned columns, MatrixColumn *c)
{
    for (unsigned j = 0; j < columns; j++, b += r->terms)
        for (unsigned k = 0; k < r->terms; k++)
            for (unsigned i = 0; i < MATRIX_ROWS; i++) {
                uint32_t x = f32_bits(a->a[k][i]), y = f32_bits(b[k]);
                c[j][i] += (uint32_t)__builtin_popcount(r->is_and ? x & y : x ^ y);
            }
}

static void multiply(const MatrixRule *r, const MatrixTile *a, const float *b, unsigned columns, MatrixColumn *c)
{
    if (r->sum == MATRIX_WHOLE)
        multiply_whole(r, a, b, columns, c);
    else if (r->sum == MATRIX_BITS)
        multiply_bits(r, a, b, columns, c);
    else
        multiply_floats(r, a, b, columns, c);
}

void exec_fill_matrix(ExecTable *t)
{
    static const MatrixOps ops = {decode, multiply};
    t->matrix                  = &ops;
}
