/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * (X_0 + X_1 + ...) + beta * C: the end of a product whose k was shared out in parts (ring.cuh).  aat_sum: of a symmetric
 * one, whose parts have their lower triangles; each element goes to both places.
 *
 * Needs       sm_90
 *
 * X_z is m x n, rows x_row words apart and aligned to 16 bytes, z * x_batch words after the first.  The parts are added in their
 * order, so every run gives the same bits.  A thread takes four neighbours of a row; g.k and the other operand are not used.
 * Bottleneck  memory: g.parts reads and one write an element, all of the reads of a thread in flight at once up to eight. */
#include "../aat/symmetric.h"

/* Four elements, of which `count` exist. */
template <typename T> static __device__ __forceinline__ typename Four<T>::type read_four(const T *p, int count)
{
    typename Four<T>::type v = {T(0), T(0), T(0), T(0)};
    if (count >= 4)
        return *(const typename Four<T>::type *)p;
    v.x = p[0];
    v.y = count > 1 ? p[1] : T(0);
    v.z = count > 2 ? p[2] : T(0);
    return v;
}

template <typename T, bool SYMMETRIC> static __device__ __forceinline__ void sum_parts(const GemmArgs &g)
{
    typedef typename Four<T>::type V;
    int                            quads = (g.n + 3) / 4;
    long long                      q     = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (q >= (long long)quads * g.m)
        return;
    int row = (int)(q / quads), col = (int)(q % quads) * 4;
    if (SYMMETRIC && col > row)
        return;
    const T *x     = (const T *)g.x + row * g.x_row + col;
    grid_turn();
    V total = read_four(x, g.n - col);
#pragma unroll 8
    for (int z = 1; z < g.parts; z++) {
        V v = read_four(x + z * g.x_batch, g.n - col);
        total.x += v.x;
        total.y += v.y;
        total.z += v.z;
        total.w += v.w;
    }
    T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta), sum[4] = {total.x, total.y, total.z, total.w};
    bool keep = !Four<T>::zero(g.beta);
    T   *c    = (T *)g.c + row * g.ldc + col;
#pragma unroll
    for (int e = 0; e < 4; e++)
        if (SYMMETRIC)
            element_write(g, (T *)g.c, row, col + e, sum[e]);
        else if (col + e < g.n)
            put(c + e, sum[e], alpha, beta, keep);
}

extern "C" __global__ void __launch_bounds__(128) gemm_sum_f32(const GemmArgs g)
{
    sum_parts<float, false>(g);
}

extern "C" __global__ void __launch_bounds__(128) gemm_sum_i32(const GemmArgs g)
{
    sum_parts<unsigned, false>(g);
}

extern "C" __global__ void __launch_bounds__(128) aat_sum_f32(const GemmArgs g)
{
    sum_parts<float, true>(g);
}

extern "C" __global__ void __launch_bounds__(128) aat_sum_i32(const GemmArgs g)
{
    sum_parts<unsigned, true>(g);
}
