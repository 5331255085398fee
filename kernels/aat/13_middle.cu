/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole: 64 x 64 tiles computed once and written twice, operands read in place.
 *
 * Needs       sm_90
 * Change      gemm_middle on the tiles on and under the diagonal; the blocks of a cluster share out k.
 * Bottleneck  shared memory, as gemm_middle.
 * Measured    docs/kernels.md. */
#include "mirror.cuh"

typedef RingShape<float, 64, 64, 32, 64, 32, 8, 8, 3, 2>    Float;
typedef RingShape<unsigned, 64, 64, 32, 64, 32, 8, 8, 3, 2> Int;
MIRROR_DIRECT(aat_middle_f32, Float, 2, 1)
MIRROR_DIRECT(aat_middle_i32, Int, 2, 1)
