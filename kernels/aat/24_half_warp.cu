/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of bf16 or fp16 with float sums, 128 x 128 tiles on the tensor cores of any GPU since sm_80.
 *
 * Needs       sm_80
 * Change      half the tiles of gemm half_warp; each result is written in both directions.
 * Bottleneck  tensor cores, fed by four warps; stores down the columns.
 * Measured    docs/kernels.md. */
#include "../gemm/half_warp.cuh"

HALF_WARP(aat_half_warp_bf16_k, 128, 128, 0, 0, 1, 1)
HALF_WARP(aat_half_warp_bf16_n, 128, 128, 1, 1, 1, 1)
HALF_WARP(aat_half_warp_f16_k, 128, 128, 0, 0, 0, 1)
HALF_WARP(aat_half_warp_f16_n, 128, 128, 1, 1, 0, 1)
