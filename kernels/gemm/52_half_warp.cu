/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 128 tiles on the tensor cores of any GPU since sm_80.
 *
 * Needs       sm_80
 * Change      mma of a warp on slices that cp.async draws (half_warp.cuh): what is older than sm_90, and newer, has.
 * Bottleneck  tensor cores, fed by four warps; on sm_90 wgmma is half as fast again.
 * Measured    docs/kernels.md. */
#include "half_warp.cuh"

HALF_WARP(gemm_half_warp_bf16_kk, 128, 128, 0, 0, 1, 0)
HALF_WARP(gemm_half_warp_bf16_kn, 128, 128, 0, 1, 1, 0)
HALF_WARP(gemm_half_warp_bf16_nk, 128, 128, 1, 0, 1, 0)
HALF_WARP(gemm_half_warp_bf16_nn, 128, 128, 1, 1, 1, 0)
HALF_WARP(gemm_half_warp_f16_kk, 128, 128, 0, 0, 0, 0)
HALF_WARP(gemm_half_warp_f16_kn, 128, 128, 0, 1, 0, 0)
HALF_WARP(gemm_half_warp_f16_nk, 128, 128, 1, 0, 0, 0)
HALF_WARP(gemm_half_warp_f16_nn, 128, 128, 1, 1, 0, 0)
