/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, operands by tensor copies, 64 x 64 tiles.
 *
 * Needs       sm_90
 * Change      four groups of two warps. Blocks of a cluster may share out k.
 * Bottleneck  operands: 4 accesses to shared memory for 64 multiplications.
 * Measured    docs/kernels.md. */
#include "ring.cuh"

typedef RingShape<float, 64, 64, 32, 32, 64, 8, 8, 6, 4>    Float;
typedef RingShape<unsigned, 64, 64, 32, 32, 64, 8, 8, 6, 4> Int;
RING_KERNEL(gemm_quads_f32, Float, 2)
RING_KERNEL(gemm_quads_i32, Int, 2)
