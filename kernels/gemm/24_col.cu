/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 8 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      gemm_row turned over: for up to 8 columns, a matrix times a vector among them.
 * Bottleneck  reading X.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 128, 8, 64, 64, 8, 4, 4, 3, 4>    Float;
typedef RingShape<unsigned, 128, 8, 64, 64, 8, 4, 4, 3, 4> Int;
DIRECT_KERNELS(gemm_col_f32, Float, 2, true, 0)
DIRECT_KERNELS(gemm_col_i32, Int, 2, true, 0)
