/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16, fp16 or fp8 operands with float sums, on any GPU: no tensor cores, no tensor copies.
 *
 * A block has 64 x 64 results, a thread 4 x 4 of them; slices of 16 of k lie in shared memory as floats, rows padded by a word against
 * bank conflicts.  Each product is added with one rounding, k ascending.  Of A * A^T the tiles on and under the diagonal, written in both directions. */
#ifndef WW_KERNELS_GEMM_HALF_PLAIN_CUH
#define WW_KERNELS_GEMM_HALF_PLAIN_CUH

#include "finish.cuh"
#include "half.h"

enum { PLAIN_SIDE = 64, PLAIN_SLICE = 16, PLAIN_THREADS = 256, PLAIN_PITCH = PLAIN_SIDE + 1 };

enum { PLAIN_F16, PLAIN_BF16, PLAIN_E4M3, PLAIN_E5M2 }; /* KIND of an operand; results are fp16 for PLAIN_F16, else bf16, or float */
template <int KIND> struct PlainBits { typedef unsigned char type; };
template <> struct PlainBits<PLAIN_F16> { typedef unsigned short type; };
template <> struct PlainBits<PLAIN_BF16> { typedef unsigned short type; };

/* An e5m2 is the upper half of an fp16; an e4m3 with its exponent in place is 2^-8 of itself. */
template <int KIND> static __device__ __forceinline__ float plain_value(unsigned short bits)
{
    float          v;
    unsigned short h = KIND == PLAIN_E5M2 ? bits << 8 : KIND == PLAIN_E4M3 ? (bits & 0x80) << 8 | (bits & 0x7f) << 7 : bits;
    if (KIND == PLAIN_BF16)
        return Four<float>::from((unsigned)bits << 16);
    if (KIND == PLAIN_E4M3 && (bits & 0x7f) == 0x7f)
        return Four<float>::from(0x7fffffff);
    asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(h));
    return KIND == PLAIN_E4M3 ? v * 256.0f : v;
}

/* To nearest even; bf16 by integers, which every GPU has. */
template <int BRAIN> static __device__ __forceinline__ unsigned short plain_bits(float v)
{
    union {
        float    f;
        unsigned u;
    } word;
    unsigned short h;
    word.f = v;
    if (BRAIN)
        h = v != v ? 0x7fff : (unsigned short)((word.u + 0x7fff + (word.u >> 16 & 1)) >> 16);
    else
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(v));
    return h;
}

/* A slice of an operand: 16 of k by 64, from element (at, k0); neighbouring threads along the stride of 1. */
template <int KIND>
static __device__ __forceinline__ void plain_slice(float *to, const typename PlainBits<KIND>::type *p, unsigned long long along, unsigned long long along_k,
                                                   int at, int length, int k0, int k)
{
    for (int i = threadIdx.x; i < PLAIN_SIDE * PLAIN_SLICE; i += PLAIN_THREADS) {
        int l = along_k == 1 ? i % PLAIN_SLICE : i / PLAIN_SIDE, r = along_k == 1 ? i / PLAIN_SLICE : i % PLAIN_SIDE;
        bool in = at + r < length && k0 + l < k;
        to[l * PLAIN_PITCH + r] = in ? plain_value<KIND>(p[(at + r) * along + (k0 + l) * along_k]) : 0.0f;
    }
}

template <int BRAIN, int SYM>
static __device__ __forceinline__ void plain_put(const HalfArgs &a, int from_row, int from_col, int row, int col, float v)
{
    const GemmArgs    &g    = a.g;
    bool               keep = !Four<float>::zero(g.beta);
    float              beta = Four<float>::from(g.beta);
    unsigned long long from = from_row * a.ldfrom + from_col, to = row * g.ldc + col;
    if (keep)
        v += beta * (a.wide ? ((const float *)a.from)[from] : plain_value<BRAIN>(((const unsigned short *)a.from)[from]));
    if (!SYM && a.ends)
        v = finished<BRAIN>(a.end, a.wide, v, row, col);
    if (a.wide)
        ((float *)g.c)[to] = v;
    else
        ((unsigned short *)g.c)[to] = plain_bits<BRAIN>(v);
}

/* The scale of a result of 8-bit operands. */
template <int KIND> static __device__ __forceinline__ float plain_scale(const HalfArgs &a, int row, int col)
{
    const float *x = (const float *)a.scale_x, *y = (const float *)a.scale_y;
    return KIND < PLAIN_E4M3 ? 1.0f : (x ? x[row] : 1.0f) * (y ? y[col] : 1.0f);
}

template <int KIND, int SYM> static __device__ __forceinline__ void plain_product(const HalfArgs &a)
{
    __shared__ float x[PLAIN_SLICE * PLAIN_PITCH], y[PLAIN_SLICE * PLAIN_PITCH];
    typedef typename PlainBits<KIND>::type Bits;
    enum { BRAIN = KIND != PLAIN_F16 };
    const GemmArgs  &g      = a.g;
    int              across = (g.n + PLAIN_SIDE - 1) / PLAIN_SIDE, i = blockIdx.x / across, j = blockIdx.x % across;
    float            alpha = Four<float>::from(g.alpha), d[4][4] = {};
    if (SYM) { /* block i * (i + 1) / 2 + j, j <= i */
        for (i = 0, j = blockIdx.x; j > i; i++)
            j -= i + 1;
    }
    int row0 = i * PLAIN_SIDE, col0 = j * PLAIN_SIDE, row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4;
    for (int k0 = 0; k0 < g.k; k0 += PLAIN_SLICE) {
        plain_slice<KIND>(x, (const Bits *)g.x, g.x_row, g.x_col, row0, g.m, k0, g.k);
        plain_slice<KIND>(y, (const Bits *)g.y, g.y_col, g.y_row, col0, g.n, k0, g.k);
        __syncthreads();
        for (int l = 0; l < PLAIN_SLICE; l++)
#pragma unroll
            for (int r = 0; r < 4; r++)
#pragma unroll
                for (int c = 0; c < 4; c++)
                    d[r][c] = mul_add(x[l * PLAIN_PITCH + row + r], y[l * PLAIN_PITCH + col + c], d[r][c]);
        __syncthreads();
    }
    bool upper = SYM && (g.fill == GEMM_FILL_UPPER || g.fill == GEMM_FILL_FULL_FROM_UPPER);
#pragma unroll
    for (int r = 0; r < 4; r++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            int to_row = row0 + row + r, to_col = col0 + col + c;
            if (to_row >= g.m || to_col >= g.n || (SYM && to_row < to_col))
                continue;
            float v = alpha * (d[r][c] * plain_scale<KIND>(a, to_row, to_col));
            int   p = upper ? to_col : to_row, q = upper ? to_row : to_col;
            if (SYM && g.fill != GEMM_FILL_LOWER && g.fill != GEMM_FILL_UPPER && p != q)
                plain_put<BRAIN, SYM>(a, p, q, q, p, v);
            plain_put<BRAIN, SYM>(a, p, q, p, q, v);
        }
}

#define PLAIN_HALF(name, kind, sym)                                                                                    \
    extern "C" __global__ void __launch_bounds__(PLAIN_THREADS) name(const HalfArgs args)                              \
    {                                                                                                                  \
        plain_product<kind, sym>(args);                                                                               \
    }

#endif
