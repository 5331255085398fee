/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of products of 16-bit operands: rounded to 16 bits or kept as floats, with beta * C added, one, two or four neighbours at once.
 *
 * S: a shape with BRAIN (bf16, else fp16).  Rows and columns are those of the kernel's row-major C. */
#ifndef WW_KERNELS_GEMM_HALF_RESULT_CUH
#define WW_KERNELS_GEMM_HALF_RESULT_CUH

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

/* One result, where C is float and where it is not. */
template <typename S> static __device__ __forceinline__ void put_result(const HalfArgs &a, int from_row, int from_col, int row, int col, float v)
{
    const GemmArgs    &g    = a.g;
    float              beta = Four<float>::from(g.beta);
    unsigned long long from = from_row * a.ldfrom + from_col, to = row * g.ldc + col;
    if (a.wide) {
        float *c = (float *)g.c;
        c[to]    = Four<float>::zero(g.beta) ? v : v + beta * ((const float *)a.from)[from];
    } else {
        unsigned short *c = (unsigned short *)g.c;
        if (!Four<float>::zero(g.beta))
            v += beta * half_value<S::BRAIN>(((const unsigned short *)a.from)[from]);
        c[to] = (unsigned short)two_halves<S>(v, 0);
    }
}

/* beta times two 16-bit elements. */
template <typename S> static __device__ __forceinline__ void add_old(unsigned old, float beta, float *one, float *two)
{
    *one += beta * half_value<S::BRAIN>((unsigned short)old);
    *two += beta * half_value<S::BRAIN>((unsigned short)(old >> 16));
}

/* Two neighbours of a row at once, both inside and aligned. */
template <typename S> static __device__ __forceinline__ void put_two(const HalfArgs &a, int row, int col, float one, float two)
{
    const GemmArgs    &g    = a.g;
    float              beta = Four<float>::from(g.beta);
    bool               keep = !Four<float>::zero(g.beta);
    unsigned long long to = row * g.ldc + col, from = row * a.ldfrom + col;
    if (a.wide) {
        float2 v = {one, two};
        if (keep) {
            float2 old = *(const float2 *)((const float *)a.from + from);
            v.x += beta * old.x;
            v.y += beta * old.y;
        }
        *(float2 *)((float *)g.c + to) = v;
    } else {
        if (keep)
            add_old<S>(*(const unsigned *)((const unsigned short *)a.from + from), beta, &one, &two);
        *(unsigned *)((unsigned short *)g.c + to) = two_halves<S>(one, two);
    }
}

#endif
