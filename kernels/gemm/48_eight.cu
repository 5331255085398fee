/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of fp8 (e4m3, e5m2) with float sums, scaled by rows and columns, 128 x 192 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      8-bit operands: slices of 128 of k; the sums of a slice leave the tensor cores, which keep few of their bits, and are added as floats
 *             while the other warpgroup multiplies (half.cuh).  Neither begins behind the other: two slices apart, they were 4 % slower.
 * Bottleneck  by counting shared memory (not read on a card): at full rate the tensor cores read 83 bytes a clock and copies write 53, of 128.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_eight_e4m3, 192, 0, 0, 1, 4, 2, 0, 0, 1)
HALF_KERNEL(gemm_eight_e5m2, 192, 0, 0, 1, 4, 2, 0, 0, 2)
