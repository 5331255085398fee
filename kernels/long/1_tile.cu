/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C and C = alpha * X * X^T + beta * C with int32 operands and a 64-bit result, modulo 2^64.
 *
 * Change      results of 64 bits, and a multiplication is one mad.wide (tile.cuh).
 * Bottleneck  the wide multiplication, a fraction of the 32-bit one's rate.
 * Measured    docs/kernels.md. */
#include "tile.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) gemm_long_i64(const LongArgs a)
{
    long_gemm<int, Wide>(a);
}

extern "C" __global__ void __launch_bounds__(THREADS) aat_long_i64(const LongArgs a)
{
    long_aat<int, Wide>(a);
}
