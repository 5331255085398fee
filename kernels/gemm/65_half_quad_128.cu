/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 128 tiles on the tensor cores, four of them by a cluster.
 *
 * Needs       sm_90a
 * Change      tiles as half_narrow, but clusters are two by two blocks: each orders a half of its X and a half of its Y for two.
 * Bottleneck  clusters of four fill no more than 120 of 132 multiprocessors; meant for operands whose lines take two requests each.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_quad_128_bf16_kk, 128, 0, 0, 1, 6, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_128_bf16_kn, 128, 0, 1, 1, 6, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_128_bf16_nk, 128, 1, 0, 1, 6, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_128_bf16_nn, 128, 1, 1, 1, 6, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_128_f16_kk, 128, 0, 0, 0, 6, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_128_f16_kn, 128, 0, 1, 0, 6, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_128_f16_nk, 128, 1, 0, 0, 6, 2, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_128_f16_nn, 128, 1, 1, 0, 6, 2, 0, 0, 0, 1)
