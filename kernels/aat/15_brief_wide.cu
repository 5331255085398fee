/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole, for a short k: 64 x 128 tiles computed once and written twice, operands read in place.
 *
 * Needs       sm_90
 * Change      aat_brief on twice the columns, one group of warps; slices of 16 steps, four blocks a multiprocessor.
 * Bottleneck  as aat_brief; of the tiles on the diagonal every second one is computed by half for nothing.
 * Measured    docs/kernels.md. */
#include "brief.cuh"

typedef BriefShape<float, 64, 128, 16, 32, 64, 4, 1>    Float;
typedef BriefShape<unsigned, 64, 128, 16, 32, 64, 4, 1> Int;
MIRROR_BRIEF(aat_brief_wide_f32, Float, 4)
MIRROR_BRIEF(aat_brief_wide_i32, Int, 4)
