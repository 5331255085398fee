/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of bf16 or fp16 with float sums, 64 x 64 tiles on the tensor cores of any GPU since sm_80.
 *
 * Needs       sm_80
 * Change      tiles a quarter as large as those of half_warp, where there would be few.
 * Bottleneck  slices from the L2, 16 KB for each 64 x 64 x 64.
 * Measured    docs/kernels.md. */
#include "../gemm/half_warp.cuh"

HALF_WARP(aat_half_warp_little_bf16_k, 64, 64, 0, 0, 1, 1)
HALF_WARP(aat_half_warp_little_bf16_n, 64, 64, 1, 1, 1, 1)
HALF_WARP(aat_half_warp_little_f16_k, 64, 64, 0, 0, 0, 1)
HALF_WARP(aat_half_warp_little_f16_n, 64, 64, 1, 1, 0, 1)
