/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of floats on the tensor cores, as accurate as in float arithmetic.
 *
 * Needs       sm_90a
 * Change      two fp16 for a float, three products for one; sums leave the tensor cores after each 64 of k (split.cuh).
 * Bottleneck  tensor cores: three times the work of half_narrow.
 * Measured    docs/kernels.md.
 *
 * split_most, split_halves and split_judge make the operands, in this order. */
#include "split.cuh"

SPLIT_KERNEL(gemm_split_f32_kk, 128, 0, 0, 0, 3, 0, 0, 0)
SPLIT_KERNEL(gemm_split_f32_kn, 128, 0, 1, 0, 3, 0, 0, 0)
SPLIT_KERNEL(gemm_split_f32_nk, 128, 1, 0, 0, 3, 0, 0, 0)
SPLIT_KERNEL(gemm_split_f32_nn, 128, 1, 1, 0, 3, 0, 0, 0)

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS) split_most(const SplitArgs a)
{
    split_most_of(a);
}

extern "C" __global__ void __launch_bounds__(SPLIT_THREADS) split_halves(const SplitArgs a)
{
    split_halves_of(a);
}

extern "C" __global__ void __launch_bounds__(1024) split_judge(const SplitArgs a)
{
    split_judge_of(a);
}
