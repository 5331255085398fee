/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 192 tiles on the tensor cores, four of them by a cluster.
 *
 * Needs       sm_90a
 * Change      tiles as half_broad, but clusters are two by two blocks: each orders a half of its X and a half of its Y for two.
 * Bottleneck  clusters of four fill no more than 120 of 132 multiprocessors; meant for operands whose lines take two requests each.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_quad_192_bf16_kk, 192, 0, 0, 1, 4, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_192_bf16_kn, 192, 0, 1, 1, 4, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_192_bf16_nk, 192, 1, 0, 1, 4, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_192_bf16_nn, 192, 1, 1, 1, 4, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_192_f16_kk, 192, 0, 0, 0, 4, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_192_f16_kn, 192, 0, 1, 0, 4, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_192_f16_nk, 192, 1, 0, 0, 4, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_192_f16_nn, 192, 1, 1, 0, 4, 2, 0, 0, 0, 1)
