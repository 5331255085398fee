/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 32 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      gemm_thin turned over: for up to 32 columns.
 * Bottleneck  reading X.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 128, 32, 32, 32, 32, 4, 8, 4, 2>    Float;
typedef RingShape<unsigned, 128, 32, 32, 32, 32, 4, 8, 4, 2> Int;
DIRECT_KERNELS(gemm_slim_f32, Float, 2, true, 0)
DIRECT_KERNELS(gemm_slim_i32, Int, 2, true, 0)
