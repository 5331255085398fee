/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 32 x 128 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      for up to 32 rows: a block reads a slice of Y as wide as it is high and X, which stays in L2, a quarter of
 *             that; a cluster shares out k, so that few columns still keep all of memory busy.
 * Bottleneck  reading Y; from 16 rows on as much the multiplications, 32 for 4 bytes.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 32, 128, 32, 32, 32, 4, 8, 4, 2>    Float;
typedef RingShape<unsigned, 32, 128, 32, 32, 32, 4, 8, 4, 2> Int;
DIRECT_KERNELS(gemm_thin_f32, Float, 2, true, 0)
DIRECT_KERNELS(gemm_thin_i32, Int, 2, true, 0)
