/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 128 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      half the columns of half, six buffers: rounds end more evenly where results are few.
 * Bottleneck  slices from the L2: 24 KB for each 128 x 128 x 64, against 32 KB for twice the work.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_narrow_bf16_kk, 128, 0, 0, 1, 6, 2, 0, 0)
HALF_KERNEL(gemm_half_narrow_bf16_kn, 128, 0, 1, 1, 6, 2, 0, 0)
HALF_KERNEL(gemm_half_narrow_bf16_nk, 128, 1, 0, 1, 6, 2, 0, 0)
HALF_KERNEL(gemm_half_narrow_bf16_nn, 128, 1, 1, 1, 6, 2, 0, 0)
HALF_KERNEL(gemm_half_narrow_f16_kk, 128, 0, 0, 0, 6, 2, 0, 0)
HALF_KERNEL(gemm_half_narrow_f16_kn, 128, 0, 1, 0, 6, 2, 0, 0)
HALF_KERNEL(gemm_half_narrow_f16_nk, 128, 1, 0, 0, 6, 2, 0, 0)
HALF_KERNEL(gemm_half_narrow_f16_nn, 128, 1, 1, 0, 6, 2, 0, 0)
