/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 64 x 48 tiles on the tensor cores, a cluster's below each other.
 *
 * Needs       sm_90a
 * Change      from half_little: the blocks of a cluster share Y instead of k.
 * Bottleneck  slices from the L2.
 * Measured    docs/kernels.md. */
#include "half_column.cuh"

HALF_COLUMN(gemm_half_column_48_bf16_kk, 48, 0, 0, 1)
HALF_COLUMN(gemm_half_column_48_bf16_kn, 48, 0, 1, 1)
HALF_COLUMN(gemm_half_column_48_bf16_nk, 48, 1, 0, 1)
HALF_COLUMN(gemm_half_column_48_bf16_nn, 48, 1, 1, 1)
HALF_COLUMN(gemm_half_column_48_f16_kk, 48, 0, 0, 0)
HALF_COLUMN(gemm_half_column_48_f16_kn, 48, 0, 1, 0)
HALF_COLUMN(gemm_half_column_48_f16_nk, 48, 1, 0, 0)
HALF_COLUMN(gemm_half_column_48_f16_nn, 48, 1, 1, 0)
