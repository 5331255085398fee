/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, whole tiles of 120 x 160, one a multiprocessor.
 *
 * Needs       sm_90a
 * Level       1: the loop keeps the order of the source.
 * Change      no tile is shared, so that nothing but C is written; 15 x 10 results a lane, two groups of warps with half of the steps each.
 * Bottleneck  issue slots: 1200 of the loop's 1266 instructions multiply, some 50 of them read three registers; 3 % of the multiprocessors idle.
 * Measured    docs/kernels.md. */
#include "fit.cuh"

FIT_KERNEL(gemm_fit_f32, float, false)
FIT_KERNEL(gemm_fit_i32, unsigned, false)
FIT_KERNEL(gemm_fit_f32_k, float, true)
FIT_KERNEL(gemm_fit_i32_k, unsigned, true)
