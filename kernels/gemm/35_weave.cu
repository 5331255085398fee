/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 64 x 64 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      gemm_comb with all slices of k of all tiles shared out evenly: one round of blocks, each with a piece of one tile or of
 *             neighbouring ones.
 * Bottleneck  as gemm_comb; of few tiles, writing and adding up their parts.
 * Measured    docs/kernels.md. */
#include "comb.cuh"

typedef CombShape<float, 64, 64, 32, 5>    Float;
typedef CombShape<unsigned, 64, 64, 32, 5> Int;
COMB_KERNEL(gemm_weave_f32_kk, comb_stream, Float, Rectangle, 2, true, true)
COMB_KERNEL(gemm_weave_f32_nk, comb_stream, Float, Rectangle, 2, false, true)
COMB_KERNELS(gemm_weave_i32, comb_stream, Int, 2)
