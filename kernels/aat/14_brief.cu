/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole, for a short k: 64 x 64 tiles computed once and written twice, operands read in place.
 *
 * Needs       sm_90
 * Change      gemm_brief on the tiles on and under the diagonal, both directions straight from the registers.
 * Bottleneck  issue slots, as gemm_brief; below some 40 steps writing C.
 * Measured    docs/kernels.md. */
#include "brief.cuh"

typedef BriefShape<float, 64, 64, 32, 32, 64, 2, 2>    Float;
typedef BriefShape<unsigned, 64, 64, 32, 32, 64, 2, 2> Int;
MIRROR_BRIEF(aat_brief_f32, Float, 3)
MIRROR_BRIEF(aat_brief_i32, Int, 3)
