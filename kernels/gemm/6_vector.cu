/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 16 bytes at a time.
 *
 * Change      global and shared memory are read with 16-byte accesses, and shared memory is free of conflicts; lanes are
 *             ordered so that either fragment costs 2 passes (tile.h).
 * Bottleneck  latency: a block loads, waits, stores, waits, multiplies.
 * Measured    docs/kernels.md. */
#include "tile.h"

typedef Shape<float, 128, 128, 8, 64, 32, 8, 8, 1>    Float;
typedef Shape<unsigned, 128, 128, 8, 64, 32, 8, 8, 1> Int;
TILE_KERNELS(gemm_vector_f32, tile_gemm, Float, 2)
TILE_KERNELS(gemm_vector_i32, tile_gemm, Int, 2)
