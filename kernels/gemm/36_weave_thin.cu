/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 32 x 128 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      gemm_weave on tiles of 32 rows: for up to 32 of them, or a few more than a multiple of 64.
 * Bottleneck  as gemm_weave; the slices of a tile are a quarter larger.
 * Measured    docs/kernels.md. */
#include "comb.cuh"

typedef CombShape<float, 32, 128, 32, 4>    Float;
typedef CombShape<unsigned, 32, 128, 32, 4> Int;
COMB_KERNEL(gemm_weave_thin_f32_kk, comb_stream, Float, Rectangle, 2, true, true)
COMB_KERNEL(gemm_weave_thin_f32_nk, comb_stream, Float, Rectangle, 2, false, true)
COMB_KERNELS(gemm_weave_thin_i32, comb_stream, Int, 2)
