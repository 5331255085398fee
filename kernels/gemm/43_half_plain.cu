/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, on any GPU.
 *
 * Change      operands become floats on their way to shared memory; 64 x 64 tiles, any layout read in place.
 * Bottleneck  float multiplications, shared memory.
 * Measured    not: it is for GPUs without wgmma, and for results of no terms. */
#include "half_plain.cuh"

PLAIN_HALF(gemm_half_plain_bf16, PLAIN_BF16, 0)
PLAIN_HALF(gemm_half_plain_f16, PLAIN_F16, 0)
