/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, a thread an element.
 *
 * Change      none: the starting point.  Thread x is the row of C.
 * Bottleneck  the lanes of a warp stand in 32 different rows: with rows of C and of X contiguous along the row, each of
 *             their reads and writes touches 32 sectors, 4 bytes of each used.
 * Measured    docs/kernels.md. */
#include "element.h"

template <typename T> static __device__ __forceinline__ void product(const GemmArgs &g)
{
    unsigned long long z   = blockIdx.z;
    int                row = blockIdx.x * 16 + threadIdx.x % 16;
    int                col = blockIdx.y * 16 + threadIdx.x / 16;
    const T           *x = (const T *)g.x + z * g.x_batch + row * g.x_row, *y = (const T *)g.y + z * g.y_batch + col * g.y_col;
    if (row >= g.m || col >= g.n)
        return;
    T sum = T(0);
    for (int l = 0; l < g.k; l++)
        sum = mul_add(x[l * g.x_col], y[l * g.y_row], sum);
    put(g, (T *)g.c + z * g.c_batch + row * g.ldc + col, sum);
}

BOTH_TYPES(gemm_naive, product, 256)
