/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 80 tiles on the tensor cores, four of them by a cluster.
 *
 * Needs       sm_90a
 * Change      tiles as half_80, clusters as half_quad_96.
 * Bottleneck  clusters of four fill no more than 120 of 132 multiprocessors; meant for operands whose lines take two requests each.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_quad_80_bf16_kk, 80, 0, 0, 1, 8, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_80_bf16_kn, 80, 0, 1, 1, 6, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_80_bf16_nk, 80, 1, 0, 1, 8, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_80_bf16_nn, 80, 1, 1, 1, 6, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_80_f16_kk, 80, 0, 0, 0, 8, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_80_f16_kn, 80, 0, 1, 0, 6, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_80_f16_nk, 80, 1, 0, 0, 8, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_80_f16_nn, 80, 1, 1, 0, 6, 1, 0, 0, 0, 1)
