/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, operands by tensor copies, 128 x 64 tiles.
 *
 * Needs       sm_90
 * Change      two groups of four warps share out the steps of each slice: a quarter of the tile at the same speed.
 *             Blocks of a cluster may share out k.
 * Bottleneck  as gemm_tensor; where few tiles are left, their number.
 * Measured    docs/kernels.md. */
#include "ring.cuh"

typedef RingShape<float, 128, 64, 32, 32, 64, 8, 8, 4, 2>    Float;
typedef RingShape<unsigned, 128, 64, 32, 32, 64, 8, 8, 4, 2> Int;
RING_KERNEL(gemm_pairs_f32, Float, 2)
RING_KERNEL(gemm_pairs_i32, Int, 2)
