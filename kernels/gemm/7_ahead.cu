/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, reading ahead.
 *
 * Change      two buffers: the next slice travels from memory to registers while this one is multiplied, the next
 *             fragment from shared memory while this step is; one barrier for every 8 steps of k.
 * Bottleneck  issue slots: 4 shared loads for 64 multiplications, and the waits that 16 warps cannot cover.
 * Measured    docs/kernels.md. */
#include "tile.h"

typedef Shape<float, 128, 128, 8, 64, 32, 8, 8>    Float;
typedef Shape<unsigned, 128, 128, 8, 64, 32, 8, 8> Int;
TILE_KERNELS(gemm_ahead_f32, tile_gemm, Float, 2)
TILE_KERNELS(gemm_ahead_i32, tile_gemm, Int, 2)
