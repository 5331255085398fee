/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 256 tiles, every block the same share of the work.
 *
 * Needs       sm_90a
 * Level       1: the loop keeps the order of the source.
 * Change      the tiles of gemm_flow, one block a multiprocessor; an aligned X along k is turned, not drawn.
 * Bottleneck  issue slots; for small products, parts of tiles in the workspace.
 * Measured    docs/kernels.md. */
#include "even.cuh"

typedef Shape<float, 128, 256, 32, 64, 64, 16, 8, 3, 1>    Float;
typedef Shape<unsigned, 128, 256, 32, 64, 64, 16, 8, 3, 1> Int;
EVEN_KERNELS(gemm_even_large, Float, Int, 1, 1, 56, 224)
EVEN_KERNEL(gemm_even_large_f32_tb, Float, 1, EVEN_TURN, 1, 72, 216) /* an X along k is turned */
