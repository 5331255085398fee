/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C for a short k, 64 x 128 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      gemm_brief on twice the columns, for results that have enough tiles: one group of warps, a quarter less to read, longer
 *             rows of C.  Where Y does not lie along k, slices of 16 steps and four blocks a multiprocessor.
 * Bottleneck  issue slots: of 64 steps' 5300 instructions a warp 4096 multiply; below 30 steps writing C.
 * Measured    docs/kernels.md. */
#include "brief.cuh"

typedef BriefShape<float, 64, 128, 32, 32, 64, 2, 1>    Float;
typedef BriefShape<float, 64, 128, 16, 32, 64, 4, 1>    FloatRows;
typedef BriefShape<unsigned, 64, 128, 32, 32, 64, 2, 1> Int;
typedef BriefShape<unsigned, 64, 128, 16, 32, 64, 4, 1> IntRows;
TILE_KERNEL(gemm_brief_wide_f32_kn, brief_gemm, FloatRows, 4, true, false)
TILE_KERNEL(gemm_brief_wide_f32_kk, brief_gemm, Float, 3, true, true)
TILE_KERNEL(gemm_brief_wide_f32_nn, brief_gemm, FloatRows, 4, false, false)
TILE_KERNEL(gemm_brief_wide_f32_nk, brief_gemm, Float, 3, false, true)
TILE_KERNEL(gemm_brief_wide_i32_kn, brief_gemm, IntRows, 4, true, false)
TILE_KERNEL(gemm_brief_wide_i32_kk, brief_gemm, Int, 3, true, true)
TILE_KERNEL(gemm_brief_wide_i32_nn, brief_gemm, IntRows, 4, false, false)
TILE_KERNEL(gemm_brief_wide_i32_nk, brief_gemm, Int, 3, false, true)
