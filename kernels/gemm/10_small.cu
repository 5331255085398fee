/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 64 x 64 results to a block.
 *
 * Change      small tiles for small results: 4 times as many blocks, 8 x 4 results to a lane, 4 of the blocks a
 *             multiprocessor.
 * Bottleneck  shared memory and issue slots: 3 loads for 32 multiplications.
 * Measured    docs/kernels.md. */
#include "tile.h"

typedef Shape<float, 64, 64, 8, 32, 32, 8, 4>    Float;
typedef Shape<unsigned, 64, 64, 8, 32, 32, 8, 4> Int;
TILE_KERNELS(gemm_small_f32, tile_gemm, Float, 4)
TILE_KERNELS(gemm_small_i32, tile_gemm, Int, 4)
