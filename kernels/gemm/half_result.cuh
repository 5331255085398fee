/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of products of 16-bit operands: rounded to 16 bits or kept as floats, with beta * C added, one or four neighbours at once.
 *
 * S: a shape with BRAIN (bf16, else fp16), SYM (A * A^T) and ENDS: biases and an activation are brought in here; else they are in v, or there are none.  Rows and columns are those of the kernel's row-major C. */
#ifndef WW_KERNELS_GEMM_HALF_RESULT_CUH
#define WW_KERNELS_GEMM_HALF_RESULT_CUH

#include "finish.cuh"
#include "half.h"
#include "wgmma.cuh"

enum { WARPGROUP = 128 };

static __device__ __forceinline__ int at_most(int i, int most)
{
    return i < most ? i : most;
}

/* Bytes of shared memory, multiples of 16, by this thread of so many. */
static __device__ __forceinline__ void zero_bytes(unsigned at, int from, int end, int thread, int threads)
{
    for (int i = from + thread * 16; i < end; i += threads * 16)
        asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};" ::"r"(at + i), "r"(0) : "memory");
}

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

static __device__ __forceinline__ unsigned shared_half(unsigned address)
{
    unsigned short v;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(v) : "r"(address) : "memory");
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

/* beta * C of four neighbours of a row; 0 outside. */
template <typename S> static __device__ __forceinline__ void old_line(const HalfArgs &a, int row, int col, float (&v)[4])
{
    const GemmArgs    &g    = a.g;
    float              beta = Four<float>::from(g.beta);
    unsigned long long from = row * a.ldfrom + col;
#pragma unroll
    for (int j = 0; j < 4; j++)
        v[j] = 0;
    if (row >= g.m)
        return;
    if (g.vector & GEMM_FOURS && col + 3 < g.n) {
        if (a.wide) {
            float4 old = *(const float4 *)((const float *)a.from + from);
            v[0] = beta * old.x;
            v[1] = beta * old.y;
            v[2] = beta * old.z;
            v[3] = beta * old.w;
        } else {
            uint2 old = *(const uint2 *)((const unsigned short *)a.from + from);
            add_old<S>(old.x, beta, &v[0], &v[1]);
            add_old<S>(old.y, beta, &v[2], &v[3]);
        }
        return;
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        if (col + j < g.n)
            v[j] = beta * (a.wide ? ((const float *)a.from)[from + j] : half_value<S::BRAIN>(((const unsigned short *)a.from)[from + j]));
}

/* Those of four neighbours of a row that are inside. */
template <typename S> static __device__ __forceinline__ void store_line(const HalfArgs &a, int row, int col, const float (&v)[4])
{
    const GemmArgs    &g  = a.g;
    unsigned long long to = row * g.ldc + col;
    if (row >= g.m)
        return;
    if (g.vector & GEMM_FOURS && col + 3 < g.n) {
        if (a.wide)
            *(float4 *)((float *)g.c + to) = {v[0], v[1], v[2], v[3]};
        else
            *(uint2 *)((unsigned short *)g.c + to) = {two_halves<S>(v[0], v[1]), two_halves<S>(v[2], v[3])};
        return;
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
        if (col + j < g.n && a.wide)
            ((float *)g.c)[to + j] = v[j];
        else if (col + j < g.n)
            ((unsigned short *)g.c)[to + j] = (unsigned short)two_halves<S>(v[j], 0);
}

/* Four neighbours of a row with all that becomes of them; v becomes what they are with beta * C. */
template <typename S> static __device__ __forceinline__ void put_line(const HalfArgs &a, bool keep, int row, int col, float (&v)[4])
{
    float e[4];
    if (keep)
        old_line<S>(a, row, col, e);
#pragma unroll
    for (int j = 0; j < 4; j++) {
        v[j] = keep ? v[j] + e[j] : v[j];
        e[j] = row < a.g.m && col + j < a.g.n ? ended<S>(a, v[j], row, col + j) : 0.0f;
    }
    store_line<S>(a, row, col, e);
}

template <typename S> static __device__ __forceinline__ void put_some(const HalfArgs &a, int row, int col, float (&v)[4])
{
    if (S::SYM)
        put_symmetric<S>(a, row, col, v);
    else
        put_line<S>(a, !Four<float>::zero(a.g.beta), row, col, v);
}

#endif
