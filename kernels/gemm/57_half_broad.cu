/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 192 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      three quarters of the columns of half: where wider tiles would leave a round nearly empty, and narrower ones make one more.
 * Bottleneck  as of half; by counting, shared memory moves 139 bytes a clock, where there are 128.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_broad_bf16_kk, 192, 0, 0, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_broad_bf16_kn, 192, 0, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_broad_bf16_nk, 192, 1, 0, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_broad_bf16_nn, 192, 1, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_broad_f16_kk, 192, 0, 0, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_broad_f16_kn, 192, 0, 1, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_broad_f16_nk, 192, 1, 0, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_broad_f16_nn, 192, 1, 1, 0, 4, 2, 0, 0)
