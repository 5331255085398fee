/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 208 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      a width between half_broad and half_224: a round of tiles is full or nearly empty by how many there are.
 * Bottleneck  as of half.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_208_bf16_kk, 208, 0, 0, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_208_bf16_kn, 208, 0, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_208_bf16_nk, 208, 1, 0, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_208_bf16_nn, 208, 1, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_208_f16_kk, 208, 0, 0, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_208_f16_kn, 208, 0, 1, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_208_f16_nk, 208, 1, 0, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_208_f16_nn, 208, 1, 1, 0, 4, 2, 0, 0)
