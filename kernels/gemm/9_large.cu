/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 256 x 128 results to a block.
 *
 * Change      the wide kernel with 8 warps to a block, one block a multiprocessor: a quarter less is read from L2.
 * Bottleneck  as the wide kernel; all 8 warps wait at one barrier.
 * Measured    docs/kernels.md. */
#include "tile.h"

typedef Shape<float, 256, 128, 8, 64, 64, 8, 16>    Float;
typedef Shape<unsigned, 256, 128, 8, 64, 64, 8, 16> Int;
TILE_KERNELS(gemm_large_f32, tile_gemm, Float, 1)
TILE_KERNELS(gemm_large_i32, tile_gemm, Int, 1)
