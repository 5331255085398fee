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
COMB_KERNELS(gemm_weave_slim_f32, comb_stream, Float, 2)
COMB_KERNELS(gemm_weave_slim_i32, comb_stream, Int, 2)
