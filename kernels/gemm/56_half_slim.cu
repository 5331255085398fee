/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 64 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      a quarter of the columns of half, eight buffers: enough tiles where results are few.
 * Bottleneck  slices: 24 KB of shared memory for each 128 x 64 x 64, against 48 KB for four times the work.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_slim_bf16_kk, 64, 0, 0, 1, 8, 2, 0, 0)
HALF_KERNEL(gemm_half_slim_bf16_kn, 64, 0, 1, 1, 8, 2, 0, 0)
HALF_KERNEL(gemm_half_slim_bf16_nk, 64, 1, 0, 1, 8, 2, 0, 0)
HALF_KERNEL(gemm_half_slim_bf16_nn, 64, 1, 1, 1, 8, 2, 0, 0)
HALF_KERNEL(gemm_half_slim_f16_kk, 64, 0, 0, 0, 8, 2, 0, 0)
HALF_KERNEL(gemm_half_slim_f16_kn, 64, 0, 1, 0, 8, 2, 0, 0)
HALF_KERNEL(gemm_half_slim_f16_nk, 64, 1, 0, 0, 8, 2, 0, 0)
HALF_KERNEL(gemm_half_slim_f16_nn, 64, 1, 1, 0, 8, 2, 0, 0)
