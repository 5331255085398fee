/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of fp8 (e4m3, e5m2) with float sums, scaled by rows and columns, 128 x 128 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      narrower tiles, for results that leave few of them, and for float ones.
 * Bottleneck  by counting shared memory (not read on a card): at full rate the tensor cores read 96 bytes a clock and copies write 64, of 128.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_eight_narrow_e4m3, 128, 0, 0, 1, 6, 2, 0, 0, 1)
HALF_KERNEL(gemm_eight_narrow_e5m2, 128, 0, 0, 1, 6, 2, 0, 0, 2)
