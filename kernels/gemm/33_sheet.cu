/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C for a short k and a large, aligned C; 64 x 128 tiles, any layout read in place.
 *
 * Change      both panels of a tile whole in shared memory; 8 x 8 results a lane with lanes in pairs, so that a read of an operand
 *             takes 2 passes; whole tiles go to C straight from the registers, past L2's usual order of eviction.
 * Bottleneck  writing C; at k = 32 the multiplications too.  Where rows are not aligned, single elements: flat is faster there, and for
 *             few tiles.
 * Measured    docs/kernels.md. */
#include "sheet.cuh"

typedef Shape<float, 64, 128, 4, 32, 64, 8, 8>    Float;
typedef Shape<unsigned, 64, 128, 4, 32, 64, 8, 8> Int;
TILE_KERNELS(gemm_sheet_f32, tile_sheet, Float, 4)
TILE_KERNELS(gemm_sheet_i32, tile_sheet, Int, 4)
