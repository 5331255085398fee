/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of products of 16-bit operands: rounded to 16 bits or kept as floats, with beta * C added, one, two or four neighbours at once.
 *
 * S: a shape with BRAIN (bf16, else fp16), SYM (A * A^T) and ENDS: biases and an activation are brought in here; else they are in v, or there are none.  Rows and columns are those of the kernel's row-major C. */
#ifndef WW_KERNELS_GEMM_HALF_RESULT_CUH
#define WW_KERNELS_GEMM_HALF_RESULT_CUH

#include "finish.cuh"
#include "half.h"
#include "wgmma.cuh"

enum { WARPGROUP = 128 };

template <typename S> static __device__ __forceinline__ unsigned two_halves(float low, float high)
{
    unsigned v;
    if (S::BRAIN)
        asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(high), "f"(low));
    else
        asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(v) : "f"(high), "f"(low));
    return v;
}

static __device__ __forceinline__ unsigned shared_word(unsigned address)
{
    unsigned v;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(address) : "memory");
    return v;
}

template <typename S> static __device__ __forceinline__ float ended(const HalfArgs &a, float v, int row, int col)
{
    if constexpr (S::ENDS != 0)
        return a.ends ? finished<S::BRAIN>(a.end, a.wide, v, row, col) : v;
    return v;
}

/* One result, where C is float and where it is not; keep: beta * C is added. */
template <typename S>
static __device__ __forceinline__ void put_result(const HalfArgs &a, bool keep, int from_row, int from_col, int row, int col, float v)
{
    const GemmArgs    &g    = a.g;
    float              beta = Four<float>::from(g.beta);
    unsigned long long from = from_row * a.ldfrom + from_col, to = row * g.ldc + col;
    if (a.wide) {
        if (keep)
            v += beta * ((const float *)a.from)[from];
        ((float *)g.c)[to] = ended<S>(a, v, row, col);
    } else {
        if (keep)
            v += beta * half_value<S::BRAIN>(((const unsigned short *)a.from)[from]);
        ((unsigned short *)g.c)[to] = (unsigned short)two_halves<S>(ended<S>(a, v, row, col), 0);
    }
}

/* beta times two 16-bit elements. */
template <typename S> static __device__ __forceinline__ void add_old(unsigned old, float beta, float *one, float *two)
{
    *one += beta * half_value<S::BRAIN>((unsigned short)old);
    *two += beta * half_value<S::BRAIN>((unsigned short)(old >> 16));
}

/* Two neighbours of a row at once, both inside and aligned. */
template <typename S> static __device__ __forceinline__ void put_two(const HalfArgs &a, bool keep, int row, int col, float one, float two)
{
    const GemmArgs    &g    = a.g;
    float              beta = Four<float>::from(g.beta);
    unsigned long long to = row * g.ldc + col, from = row * a.ldfrom + col;
    if (keep && a.wide) {
        float2 old = *(const float2 *)((const float *)a.from + from);
        one += beta * old.x;
        two += beta * old.y;
    } else if (keep) {
        add_old<S>(*(const unsigned *)((const unsigned short *)a.from + from), beta, &one, &two);
    }
    one = ended<S>(a, one, row, col);
    two = ended<S>(a, two, row, col + 1);
    if (a.wide)
        *(float2 *)((float *)g.c + to) = {one, two};
    else
        *(unsigned *)((unsigned short *)g.c + to) = two_halves<S>(one, two);
}

/* Of A * A^T: those of four neighbours that are on or under the diagonal, to one triangle or both; C is read in one. */
template <typename S> static __device__ __forceinline__ void put_symmetric(const HalfArgs &a, int row, int at, const float (&v)[4])
{
    const GemmArgs &g     = a.g;
    bool            upper = g.fill == GEMM_FILL_UPPER || g.fill == GEMM_FILL_FULL_FROM_UPPER, keep = !Four<float>::zero(g.beta);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        int col = at + j, r = upper ? col : row, c = upper ? row : col;
        if (row < col || row >= g.m)
            continue;
        if (g.fill != GEMM_FILL_LOWER && g.fill != GEMM_FILL_UPPER && row != col)
            put_result<S>(a, keep, r, c, c, r, v[j]);
        put_result<S>(a, keep, r, c, r, c, v[j]);
    }
}

template <typename S> static __device__ __forceinline__ void put_some(const HalfArgs &a, int row, int col, const float (&v)[4])
{
    const GemmArgs &g = a.g;
    if (S::SYM) {
        put_symmetric<S>(a, row, col, v);
        return;
    }
    if (row >= g.m)
        return;
    bool two = g.vector & GEMM_PAIRS, keep = !Four<float>::zero(g.beta);
#pragma unroll
    for (int j = 0; j < 4; j += 2)
        if (two && col + j + 1 < g.n) {
            put_two<S>(a, keep, row, col + j, v[j], v[j + 1]);
        } else {
            if (col + j < g.n)
                put_result<S>(a, keep, row, col + j, row, col + j, v[j]);
            if (col + j + 1 < g.n)
                put_result<S>(a, keep, row, col + j + 1, row, col + j + 1, v[j + 1]);
        }
}

#endif
