/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 64 x 64 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Level       1: further optimised, the loop has another order than the one that stands here.
 * Change      gemm_weave of a Y contiguous along the result, its multiplications in the order of the source.
 * Bottleneck  as gemm_weave; half as many of them read three registers.
 * Measured    docs/kernels.md. */
#include "comb.cuh"

typedef CombShape<float, 64, 64, 32, 5, true> Float;
COMB_KERNEL(gemm_weave_f32_kn, comb_stream, Float, Rectangle, 2, true, false)
COMB_KERNEL(gemm_weave_f32_nn, comb_stream, Float, Rectangle, 2, false, false)
