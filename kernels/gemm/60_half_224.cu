/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 224 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      seven eighths of the columns of half.
 *             A round of tiles is full or nearly empty by how many there are: each width more is a chance of a full one.
 * Bottleneck  as of half.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_224_bf16_kk, 224, 0, 0, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_224_bf16_kn, 224, 0, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_224_bf16_nk, 224, 1, 0, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_224_bf16_nn, 224, 1, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_224_f16_kk, 224, 0, 0, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_224_f16_kn, 224, 0, 1, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_224_f16_nk, 224, 1, 0, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_224_f16_nn, 224, 1, 1, 0, 4, 2, 0, 0)
