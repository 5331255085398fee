/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of bf16 or fp16 operands with float sums, on any GPU: no tensor cores, no tensor copies.
 *
 * A block has 64 x 64 results, a thread 4 x 4 of them; slices of 16 of k lie in shared memory as floats, rows padded by a word against
 * bank conflicts.  Each product is added with one rounding, k ascending.  Of A * A^T the tiles on and under the diagonal, written in both directions. */
#ifndef WW_KERNELS_GEMM_HALF_PLAIN_CUH
#define WW_KERNELS_GEMM_HALF_PLAIN_CUH

#include "element.h"
#include "half.h"

enum { PLAIN_SIDE = 64, PLAIN_SLICE = 16, PLAIN_THREADS = 256, PLAIN_PITCH = PLAIN_SIDE + 1 };

template <int BRAIN> static __device__ __forceinline__ float plain_value(unsigned short bits)
{
    float v;
    if (BRAIN)
        v = Four<float>::from((unsigned)bits << 16);
    else
        asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
    return v;
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
template <int BRAIN>
static __device__ __forceinline__ void plain_slice(float *to, const unsigned short *p, unsigned long long along, unsigned long long along_k,
                                                   int at, int length, int k0, int k)
{
    for (int i = threadIdx.x; i < PLAIN_SIDE * PLAIN_SLICE; i += PLAIN_THREADS) {
        int l = along_k == 1 ? i % PLAIN_SLICE : i / PLAIN_SIDE, r = along_k == 1 ? i / PLAIN_SLICE : i % PLAIN_SIDE;
        bool in = at + r < length && k0 + l < k;
        to[l * PLAIN_PITCH + r] = in ? plain_value<BRAIN>(p[(at + r) * along + (k0 + l) * along_k]) : 0.0f;
    }
}

template <int BRAIN>
static __device__ __forceinline__ void plain_put(const HalfArgs &a, int from_row, int from_col, int row, int col, float v)
{
    const GemmArgs    &g    = a.g;
    bool               keep = !Four<float>::zero(g.beta);
    float              beta = Four<float>::from(g.beta);
    unsigned long long from = from_row * a.ldfrom + from_col, to = row * g.ldc + col;
    if (a.wide) {
        float *c = (float *)g.c;
        c[to]    = keep ? v + beta * ((const float *)a.from)[from] : v;
    } else {
        unsigned short *c = (unsigned short *)g.c;
        c[to]             = plain_bits<BRAIN>(keep ? v + beta * plain_value<BRAIN>(((const unsigned short *)a.from)[from]) : v);
    }
}

template <int BRAIN, int SYM> static __device__ __forceinline__ void plain_product(const HalfArgs &a)
{
    __shared__ float x[PLAIN_SLICE * PLAIN_PITCH], y[PLAIN_SLICE * PLAIN_PITCH];
    const GemmArgs  &g      = a.g;
    int              across = (g.n + PLAIN_SIDE - 1) / PLAIN_SIDE, i = blockIdx.x / across, j = blockIdx.x % across;
    float            alpha = Four<float>::from(g.alpha), d[4][4] = {};
    if (SYM) { /* block i * (i + 1) / 2 + j, j <= i */
        for (i = 0, j = blockIdx.x; j > i; i++)
            j -= i + 1;
    }
    int row0 = i * PLAIN_SIDE, col0 = j * PLAIN_SIDE, row = threadIdx.x / 16 * 4, col = threadIdx.x % 16 * 4;
    for (int k0 = 0; k0 < g.k; k0 += PLAIN_SLICE) {
        plain_slice<BRAIN>(x, (const unsigned short *)g.x, g.x_row, g.x_col, row0, g.m, k0, g.k);
        plain_slice<BRAIN>(y, (const unsigned short *)g.y, g.y_col, g.y_row, col0, g.n, k0, g.k);
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
            float v = alpha * d[r][c];
            int   p = upper ? to_col : to_row, q = upper ? to_row : to_col;
            if (SYM && g.fill != GEMM_FILL_LOWER && g.fill != GEMM_FILL_UPPER && p != q)
                plain_put<BRAIN>(a, p, q, q, p, v);
            plain_put<BRAIN>(a, p, q, p, q, v);
        }
}

#define PLAIN_HALF(name, brain, sym)                                                                                   \
    extern "C" __global__ void __launch_bounds__(PLAIN_THREADS) name(const HalfArgs args)                              \
    {                                                                                                                  \
        plain_product<brain, sym>(args);                                                                               \
    }

#endif
