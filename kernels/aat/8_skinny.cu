/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * X^T + beta * C for an X of few columns, bound by writing C.
 *
 * Change      both panels of a tile whole in shared memory, one barrier; lanes in pairs, so that a read of an operand takes 2 passes
 *             instead of 4; both directions of the tile stored as whole rows through shared memory, past L2's usual order of eviction.
 * Bottleneck  writing C and shared memory, which the multiplications and the stores have in common; at k = 64 the multiplications.
 * Measured    docs/kernels.md. */
#include "skinny.cuh"

typedef Shape<float, 64, 64, 4, 32, 64, 8, 8>    Float;
typedef Shape<unsigned, 64, 64, 4, 32, 64, 8, 8> Int;
TILE_KERNEL(aat_skinny_f32_k, tile_skinny, Float, 8, true, true)
TILE_KERNEL(aat_skinny_f32_n, tile_skinny, Float, 8, false, false)
TILE_KERNEL(aat_skinny_i32_k, tile_skinny, Int, 8, true, true)
TILE_KERNEL(aat_skinny_i32_n, tile_skinny, Int, 8, false, false)
