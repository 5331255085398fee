/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole: 64 x 64 tiles computed once and written twice, all their slices of k shared out evenly.
 *
 * Needs       sm_90
 * Change      gemm_weave on the tiles on and under the diagonal: one round of blocks, however many tiles there are.
 * Bottleneck  issue slots, as gemm_comb; of few tiles, writing and adding up their parts.
 * Measured    docs/kernels.md. */
#include "mirror.cuh"

typedef CombShape<float, 64, 64, 32, 5>    Float;
typedef CombShape<unsigned, 64, 64, 32, 5> Int;
MIRROR_COMB(aat_weave_f32, comb_stream, Float, 2)
MIRROR_COMB(aat_weave_i32, comb_stream, Int, 2)
