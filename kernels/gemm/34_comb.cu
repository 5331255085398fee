/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 64 x 64 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      the lanes of a warp take steps of k in turn (comb.cuh): 16 x 8 results to a lane, half the reads of gemm_middle, and operands
 *             along k turned by ldmatrix on their way into registers.
 * Bottleneck  issue slots: 1024 of the loop's 1128 instructions multiply, where rows are aligned.
 * Measured    docs/kernels.md. */
#include "comb.cuh"

typedef CombShape<float, 64, 64, 32, 5>    Float;
typedef CombShape<unsigned, 64, 64, 32, 5> Int;
COMB_KERNEL(gemm_comb_f32_kk, comb_gemm, Float, Rectangle, 2, true, true)
COMB_KERNEL(gemm_comb_f32_nk, comb_gemm, Float, Rectangle, 2, false, true)
COMB_KERNELS(gemm_comb_i32, comb_gemm, Int, 2)
