/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of fp8 (e4m3, e5m2) with float sums, scaled by rows, 128 x 128 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      fewer columns than eight, for few tiles.
 * Bottleneck  slices from the L2.
 * Measured    docs/kernels.md. */
#include "../gemm/half.cuh"

HALF_KERNEL(aat_eight_narrow_e4m3, 128, 0, 0, 1, 6, 2, 1, 0, 1)
HALF_KERNEL(aat_eight_narrow_e5m2, 128, 0, 0, 1, 6, 2, 1, 0, 2)
