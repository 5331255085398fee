/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole: 64 x 64 tiles computed once and written twice, operands read in place.
 *
 * Needs       sm_90
 * Change      gemm_comb on the tiles on and under the diagonal; the blocks of a cluster share out k.
 * Bottleneck  issue slots, as gemm_comb; few tiles leave multiprocessors idle.
 * Measured    docs/kernels.md. */
#include "mirror.cuh"

typedef CombShape<float, 64, 64, 32, 5>    Float;
typedef CombShape<unsigned, 64, 64, 32, 5> Int;
MIRROR_COMB(aat_comb_f32, comb_gemm, Float, 2)
MIRROR_COMB(aat_comb_i32, comb_gemm, Int, 2)
