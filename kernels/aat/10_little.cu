/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole: 32 x 32 tiles computed once and written twice, operands read in place.
 *
 * Needs       sm_90
 * Change      gemm_little on the tiles on and under the diagonal: for small results, k shared out among the blocks of clusters.
 * Bottleneck  latency, as gemm_little.
 * Measured    docs/kernels.md. */
#include "mirror.cuh"

typedef RingShape<float, 32, 32, 128, 32, 32, 4, 8, 3, 8>    Float;
typedef RingShape<unsigned, 32, 32, 128, 32, 32, 4, 8, 3, 8> Int;
MIRROR_DIRECT(aat_little_f32, Float, 2, 0)
MIRROR_DIRECT(aat_little_i32, Int, 2, 0)
