/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of fp8 (e4m3, e5m2) with float sums, scaled by rows, on any GPU.
 *
 * Change      the A * B kernel on the tiles on and under the diagonal, written in both directions.
 * Bottleneck  float multiplications, shared memory.
 * Measured    not: it is for GPUs without wgmma, and for results of no terms. */
#include "../gemm/half_plain.cuh"

PLAIN_HALF(aat_eight_plain_e4m3, PLAIN_E4M3, 1)
PLAIN_HALF(aat_eight_plain_e5m2, PLAIN_E5M2, 1)
