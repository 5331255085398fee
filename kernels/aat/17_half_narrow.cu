/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of bf16 or fp16 with float sums, 128 x 128 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      half the columns of half: 4096 rows are four rounds and little more.
 * Bottleneck  slices from the L2.
 * Measured    docs/kernels.md. */
#include "../gemm/half.cuh"

HALF_KERNEL(aat_half_narrow_bf16_k, 128, 0, 0, 1, 6, 2, 1, 0)
HALF_KERNEL(aat_half_narrow_bf16_n, 128, 1, 1, 1, 6, 2, 1, 0)
HALF_KERNEL(aat_half_narrow_f16_k, 128, 0, 0, 0, 6, 2, 1, 0)
HALF_KERNEL(aat_half_narrow_f16_n, 128, 1, 1, 0, 6, 2, 1, 0)
