/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of bf16 or fp16 with float sums, on any GPU.
 *
 * Change      the A * B kernel on the tiles on and under the diagonal, written in both directions.
 * Bottleneck  float multiplications, shared memory.
 * Measured    not: it is for GPUs without wgmma, and for results of no terms. */
#include "../gemm/half_plain.cuh"

PLAIN_HALF(aat_half_plain_bf16, PLAIN_BF16, 1)
PLAIN_HALF(aat_half_plain_f16, PLAIN_F16, 1)
