/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * X^T + beta * C for an X of few columns, bound by writing C.
 *
 * Change      both panels of a tile whole in shared memory, one barrier; both directions of the tile stored as whole rows
 *             through shared memory, past L2's usual order of eviction.
 * Bottleneck  writing C; then the multiplications, 64 of them an element at k = 64.
 * Measured    docs/kernels.md. */
#include "skinny.cuh"

typedef Shape<float, 64, 64, 4, 32, 32, 8, 4>    Float;
typedef Shape<unsigned, 64, 64, 4, 32, 32, 8, 4> Int;
TILE_KERNEL(aat_skinny_f32_k, tile_skinny, Float, 6, true, true)
TILE_KERNEL(aat_skinny_f32_n, tile_skinny, Float, 6, false, false)
TILE_KERNEL(aat_skinny_i32_k, tile_skinny, Int, 6, true, true)
TILE_KERNEL(aat_skinny_i32_n, tile_skinny, Int, 6, false, false)
