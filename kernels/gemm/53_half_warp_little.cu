/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 64 x 64 tiles on the tensor cores of any GPU since sm_80.
 *
 * Needs       sm_80
 * Change      tiles a quarter as large as those of half_warp, where there would be few.
 * Bottleneck  slices from the L2, 16 KB for each 64 x 64 x 64.
 * Measured    docs/kernels.md. */
#include "half_warp.cuh"

HALF_WARP(gemm_half_warp_little_bf16_kk, 64, 64, 0, 0, 1, 0)
HALF_WARP(gemm_half_warp_little_bf16_kn, 64, 64, 0, 1, 1, 0)
HALF_WARP(gemm_half_warp_little_bf16_nk, 64, 64, 1, 0, 1, 0)
HALF_WARP(gemm_half_warp_little_bf16_nn, 64, 64, 1, 1, 1, 0)
HALF_WARP(gemm_half_warp_little_f16_kk, 64, 64, 0, 0, 0, 0)
HALF_WARP(gemm_half_warp_little_f16_kn, 64, 64, 0, 1, 0, 0)
HALF_WARP(gemm_half_warp_little_f16_nk, 64, 64, 1, 0, 0, 0)
HALF_WARP(gemm_half_warp_little_f16_nn, 64, 64, 1, 1, 0, 0)
