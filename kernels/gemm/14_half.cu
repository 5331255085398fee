/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, operands by tensor copies, 128 x 128 tiles.
 *
 * Needs       sm_90
 * Change      half the tile, two blocks a multiprocessor: one writes while the other multiplies.
 * Bottleneck  as gemm_tensor.
 * Measured    docs/kernels.md. */
#include "ring.cuh"

typedef RingShape<float, 128, 128, 16, 64, 64, 16, 8, 6, 1>    Float;
typedef RingShape<unsigned, 128, 128, 16, 64, 64, 16, 8, 6, 1> Int;
RING_KERNEL(gemm_half_f32, Float, 2)
RING_KERNEL(gemm_half_i32, Int, 2)
