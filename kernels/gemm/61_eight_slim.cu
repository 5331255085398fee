/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of fp8 (e4m3, e5m2) with float sums, scaled by rows and columns, 128 x 64 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      half the columns of eight_narrow: twice the tiles where results leave few of them (1024 x 1024: 64 pairs for 66 clusters).
 * Bottleneck  slices: 24 KB of shared memory for each 128 x 64 x 128.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_eight_slim_e4m3, 64, 0, 0, 1, 8, 2, 0, 0, 1)
HALF_KERNEL(gemm_eight_slim_e5m2, 64, 0, 0, 1, 8, 2, 0, 0, 2)
