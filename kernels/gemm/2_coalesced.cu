/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, a thread an element, neighbours along the row.
 *
 * Change      thread x is the column of C: a warp writes neighbours, and reads neighbours of Y where its rows are
 *             contiguous; its element of X is one for all lanes.
 * Bottleneck  L1: two loads for every multiplication.
 * Measured    docs/kernels.md. */
#include "element.h"

template <typename T> static __device__ __forceinline__ void product(const GemmArgs &g)
{
    unsigned long long z   = blockIdx.z;
    int                row = blockIdx.x * 8 + threadIdx.x / 32;
    int                col = blockIdx.y * 32 + threadIdx.x % 32;
    const T           *x = (const T *)g.x + z * g.x_batch + row * g.x_row, *y = (const T *)g.y + z * g.y_batch + col * g.y_col;
    if (row >= g.m || col >= g.n)
        return;
    T sum = T(0);
    for (int l = 0; l < g.k; l++)
        sum = mul_add(x[l * g.x_col], y[l * g.y_row], sum);
    put(g, (T *)g.c + z * g.c_batch + row * g.ldc + col, sum);
}

BOTH_TYPES(gemm_coalesced, product, 256)
