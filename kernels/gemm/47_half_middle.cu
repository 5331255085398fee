/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 64 x 128 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      twice the columns of half_little: three quarters of the slices' bytes for the same products.
 * Bottleneck  slices from the L2, 24 KB for each 64 x 128 x 64.
 * Measured    docs/kernels.md. */
#include "half_joined.cuh"

HALF_JOINED(gemm_half_middle_bf16_kk, 2, 128, 0, 0, 1, 0)
HALF_JOINED(gemm_half_middle_bf16_kn, 2, 128, 0, 1, 1, 0)
HALF_JOINED(gemm_half_middle_bf16_nk, 2, 128, 1, 0, 1, 0)
HALF_JOINED(gemm_half_middle_bf16_nn, 2, 128, 1, 1, 1, 0)
HALF_JOINED(gemm_half_middle_f16_kk, 2, 128, 0, 0, 0, 0)
HALF_JOINED(gemm_half_middle_f16_kn, 2, 128, 0, 1, 0, 0)
HALF_JOINED(gemm_half_middle_f16_nk, 2, 128, 1, 0, 0, 0)
HALF_JOINED(gemm_half_middle_f16_nn, 2, 128, 1, 1, 0, 0)
