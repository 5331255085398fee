/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 8 x 16 results to a lane.
 *
 * Change      a lane keeps 128 results: 6 shared loads for 128 multiplications instead of 8.  128 threads with up to
 *             255 registers, two blocks a multiprocessor: one multiplies while the other waits at its barrier.
 * Bottleneck  issue slots: 128 of 134 in a step are multiplications at best.
 * Measured    docs/kernels.md. */
#include "tile.h"

typedef Shape<float, 128, 128, 8, 64, 64, 8, 16>    Float;
typedef Shape<unsigned, 128, 128, 8, 64, 64, 8, 16> Int;
TILE_KERNELS(gemm_wide_f32, tile_gemm, Float, 2)
TILE_KERNELS(gemm_wide_i32, tile_gemm, Int, 2)
