/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 8 x 128 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      for up to 8 rows, a vector times a matrix among them: as gemm_thin, with a quarter of its multiplications.
 * Bottleneck  reading Y.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 8, 128, 64, 8, 64, 4, 4, 3, 4>    Float;
typedef RingShape<unsigned, 8, 128, 64, 8, 64, 4, 4, 3, 4> Int;
DIRECT_KERNELS(gemm_row_f32, Float, 2, true, 0)
DIRECT_KERNELS(gemm_row_i32, Int, 2, true, 0)
