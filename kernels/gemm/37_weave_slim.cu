/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 32 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      gemm_weave_thin turned over.
 * Bottleneck  as there.
 * Measured    docs/kernels.md. */
#include "comb.cuh"

typedef CombShape<float, 128, 32, 32, 4>    Float;
typedef CombShape<unsigned, 128, 32, 32, 4> Int;
COMB_KERNEL(gemm_weave_slim_f32_kn, comb_stream, Float, Rectangle, 2, true, false)
COMB_KERNEL(gemm_weave_slim_f32_kk, comb_stream, Float, Rectangle, 2, true, true)
COMB_KERNELS(gemm_weave_slim_i32, comb_stream, Int, 2)
