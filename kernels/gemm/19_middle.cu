/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 64 x 64 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      as gemm_little, with 8 x 8 results to a lane and two groups of two warps: half the shared memory traffic a
 *             multiplication, a quarter of the blocks.
 * Bottleneck  where the blocks fill the card, issue slots: 16 reads for 256 multiplications, and the copies' instructions.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 64, 64, 32, 64, 32, 8, 8, 3, 2>    Float;
typedef RingShape<unsigned, 64, 64, 32, 64, 32, 8, 8, 3, 2> Int;
DIRECT_KERNELS(gemm_middle_f32, Float, 2, true, 1)
DIRECT_KERNELS(gemm_middle_i32, Int, 2, true, 1)
