/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 256 x 160 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      a warpgroup has 128 rows, and the blocks of a cluster lie beside each other: 256 x 320 of C a cluster, more than registers hold below each other.
 * Bottleneck  as of half; results wait for their places in shared memory, unless the tile is the last one.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_tall_160_bf16_kk, 160, 0, 0, 1, 4, 1, 0, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_tall_160_bf16_kn, 160, 0, 1, 1, 3, 1, 0, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_tall_160_bf16_nk, 160, 1, 0, 1, 4, 1, 0, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_tall_160_bf16_nn, 160, 1, 1, 1, 3, 1, 0, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_tall_160_f16_kk, 160, 0, 0, 0, 4, 1, 0, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_tall_160_f16_kn, 160, 0, 1, 0, 3, 1, 0, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_tall_160_f16_nk, 160, 1, 0, 0, 4, 1, 0, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_tall_160_f16_nn, 160, 1, 1, 0, 3, 1, 0, 0, 0, 0, 1)
