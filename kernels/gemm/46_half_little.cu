/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 64 x 64 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      the blocks of a cluster share out k and add up in shared memory; operands are read where they lie, whatever their alignment
 *             (half_joined.cuh).
 * Bottleneck  the way from a launch to the first slice; then slices from the L2, 16 KB for each 64 x 64 x 64.
 * Measured    docs/kernels.md. */
#include "half_joined.cuh"

HALF_JOINED(gemm_half_little_bf16_kk, 3, 64, 0, 0, 1, 0)
HALF_JOINED(gemm_half_little_bf16_kn, 3, 64, 0, 1, 1, 0)
HALF_JOINED(gemm_half_little_bf16_nk, 3, 64, 1, 0, 1, 0)
HALF_JOINED(gemm_half_little_bf16_nn, 3, 64, 1, 1, 1, 0)
HALF_JOINED(gemm_half_little_f16_kk, 3, 64, 0, 0, 0, 0)
HALF_JOINED(gemm_half_little_f16_kn, 3, 64, 0, 1, 0, 0)
HALF_JOINED(gemm_half_little_f16_nk, 3, 64, 1, 0, 0, 0)
HALF_JOINED(gemm_half_little_f16_nn, 3, 64, 1, 1, 0, 0)
