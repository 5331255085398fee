/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 256 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      wgmma on slices that tensor copies bring, clusters of two that share Y, results by tensor copies (half.cuh).
 * Bottleneck  the card's power; below some 4096 x 4096 x 4096 the first slices and the stores of each tile.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_bf16_kk, 256, 0, 0, 1, 4, 2, 0, 1)
HALF_KERNEL(gemm_half_bf16_kn, 256, 0, 1, 1, 4, 2, 0, 1)
HALF_KERNEL(gemm_half_bf16_nk, 256, 1, 0, 1, 4, 2, 0, 1)
HALF_KERNEL(gemm_half_bf16_nn, 256, 1, 1, 1, 4, 2, 0, 1)
HALF_KERNEL(gemm_half_f16_kk, 256, 0, 0, 0, 4, 2, 0, 1)
HALF_KERNEL(gemm_half_f16_kn, 256, 0, 1, 0, 4, 2, 0, 1)
HALF_KERNEL(gemm_half_f16_nk, 256, 1, 0, 0, 4, 2, 0, 1)
HALF_KERNEL(gemm_half_f16_nn, 256, 1, 1, 0, 4, 2, 0, 1)
