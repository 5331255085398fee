/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C and C = alpha * X * X^T + beta * C of doubles, on any GPU.
 *
 * Change      none but the type (tile.cuh).
 * Bottleneck  double multiplications; half of what tensor cores do, where a GPU has those for doubles (3_double.cu).
 * Measured    docs/double.md. */
#include "tile.cuh"

extern "C" __global__ void __launch_bounds__(THREADS) gemm_double_plain_f64(const LongArgs a)
{
    long_gemm<double, double>(a);
}

extern "C" __global__ void __launch_bounds__(THREADS) aat_double_plain_f64(const LongArgs a)
{
    long_aat<double, double>(a);
}
