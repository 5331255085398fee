/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C for a short k, 64 x 64 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      a block is on all four schedulers with a tile of 64 x 64: two groups of warps share its steps (brief.cuh), 8 x 8 results a
 *             lane; exactly k steps; multiplications in an order in which few want three registers.
 * Bottleneck  issue slots: of 64 steps' 2900 instructions a warp 2048 multiply.
 * Measured    docs/kernels.md. */
#include "brief.cuh"

typedef BriefShape<float, 64, 64, 32, 32, 64, 2, 2>    Float;
typedef BriefShape<unsigned, 64, 64, 32, 32, 64, 2, 2> Int;
TILE_KERNELS(gemm_brief_f32, brief_gemm, Float, 3)
TILE_KERNELS(gemm_brief_i32, brief_gemm, Int, 3)
