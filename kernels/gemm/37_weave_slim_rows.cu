/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 32 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Level       1: further optimised, the loop has another order than the one that stands here.
 * Change      gemm_weave_slim of a X contiguous along the result, its multiplications in the order of the source.
 * Bottleneck  as gemm_weave_slim; half as many of them read three registers.
 * Measured    docs/kernels.md. */
#include "comb.cuh"

typedef CombShape<float, 128, 32, 32, 4, true> Float;
COMB_KERNEL(gemm_weave_slim_f32_nn, comb_stream, Float, Rectangle, 2, false, false)
COMB_KERNEL(gemm_weave_slim_f32_nk, comb_stream, Float, Rectangle, 2, false, true)
