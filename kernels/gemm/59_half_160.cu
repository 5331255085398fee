/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 160 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      five eighths of the columns of half; five buffers where Y lies along k, else four, since a box of Y has 64 columns and 160 take three.
 *             A round of tiles is full or nearly empty by how many there are: each width more is a chance of a full one.
 * Bottleneck  as of half_broad.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_160_bf16_kk, 160, 0, 0, 1, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_160_bf16_kn, 160, 0, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_160_bf16_nk, 160, 1, 0, 1, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_160_bf16_nn, 160, 1, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_160_f16_kk, 160, 0, 0, 0, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_160_f16_kn, 160, 0, 1, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_160_f16_nk, 160, 1, 0, 0, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_160_f16_nn, 160, 1, 1, 0, 4, 2, 0, 0)
