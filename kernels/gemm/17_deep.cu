/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, operands by tensor copies, 64 x 64 tiles.
 *
 * Needs       sm_90
 * Change      four groups of one warp that holds the whole tile, 16 x 8 results a lane.
 * Bottleneck  as gemm_tensor; four warps a block.
 * Measured    docs/kernels.md. */
#include "ring.cuh"

typedef RingShape<float, 64, 64, 64, 64, 64, 16, 8, 3, 4>    Float;
typedef RingShape<unsigned, 64, 64, 64, 64, 64, 16, 8, 3, 4> Int;
RING_KERNEL(gemm_deep_f32, Float, 2)
RING_KERNEL(gemm_deep_i32, Int, 2)
