/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 64 tiles, any layout read in place.
 *
 * Needs       sm_90
 * Change      as gemm_middle on twice the rows, for results that have enough tiles: k is not shared out among groups.
 * Bottleneck  as gemm_middle; two thirds of its traffic from memory.
 * Measured    docs/kernels.md. */
#include "direct.cuh"

typedef RingShape<float, 128, 64, 32, 64, 32, 8, 8, 3, 1>    Float;
typedef RingShape<unsigned, 128, 64, 32, 64, 32, 8, 8, 3, 1> Int;
DIRECT_KERNELS(gemm_broad_f32, Float, 2, true, 1)
DIRECT_KERNELS(gemm_broad_i32, Int, 2, true, 1)
