/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of fp8 (e4m3, e5m2) with float sums, scaled by rows and columns, on any GPU.
 *
 * Change      8-bit operands become floats on their way to shared memory; 64 x 64 tiles, any layout read in place.
 * Bottleneck  float multiplications, shared memory.
 * Measured    not: it is for GPUs without wgmma, and for results of no terms. */
#include "half_plain.cuh"

PLAIN_HALF(gemm_eight_plain_e4m3, PLAIN_E4M3, 0)
PLAIN_HALF(gemm_eight_plain_e5m2, PLAIN_E5M2, 0)
