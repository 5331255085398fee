/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 96 tiles on the tensor cores, four of them by a cluster.
 *
 * Needs       sm_90a
 * Change      tiles as half_96, but clusters are two by two blocks: each orders a half of its X and a half of its Y for two.
 * Bottleneck  clusters of four fill no more than 120 of 132 multiprocessors; meant for operands whose lines take two requests each.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_quad_96_bf16_kk, 96, 0, 0, 1, 7, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_96_bf16_kn, 96, 0, 1, 1, 6, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_96_bf16_nk, 96, 1, 0, 1, 7, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_96_bf16_nn, 96, 1, 1, 1, 6, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_96_f16_kk, 96, 0, 0, 0, 7, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_96_f16_kn, 96, 0, 1, 0, 6, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_96_f16_nk, 96, 1, 0, 0, 7, 1, 0, 0, 0, 1)
HALF_KERNEL(gemm_half_quad_96_f16_nn, 96, 1, 1, 0, 6, 1, 0, 0, 0, 1)
