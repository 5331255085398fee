/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 64 x 128 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      for a short k: a block reads all of its operands at once, whatever their layout, multiplies once and writes
 *             whole rows; three blocks a multiprocessor, so that some write while others read.
 * Bottleneck  writing C: 2 k operations for 4 bytes; above 16 steps the multiplications.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 64, 128, 32, 32, 64, 8, 8, 2, 1>    Float;
typedef RingShape<unsigned, 64, 128, 32, 32, 64, 8, 8, 2, 1> Int;
DIRECT_KERNELS(gemm_flat_f32, Float, 3, false, 0)
DIRECT_KERNELS(gemm_flat_i32, Int, 3, false, 0)
