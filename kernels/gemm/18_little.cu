/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 32 x 32 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      for small results: one launch, no copies; eight groups of one warp share out the steps of a slice and the blocks of
 *             a cluster the slices, so that a result of a few tiles with a long k still occupies many multiprocessors.
 * Bottleneck  latency: the launch, one read of memory, the sums; with many tiles the L2, which must bring 64 elements
 *             for 1024 multiplications.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 32, 32, 128, 32, 32, 4, 8, 3, 8>    Float;
typedef RingShape<unsigned, 32, 32, 128, 32, 32, 4, 8, 3, 8> Int;
DIRECT_KERNELS(gemm_little_f32, Float, 2, true, 0)
DIRECT_KERNELS(gemm_little_i32, Int, 2, true, 0)
