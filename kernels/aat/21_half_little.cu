/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of bf16 or fp16 with float sums, 64 x 64 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      tiles on and under the diagonal, each written in both directions; k shared out in a cluster (gemm/half_joined.cuh).
 * Bottleneck  the way from a launch to the first slice.
 * Measured    docs/kernels.md. */
#include "../gemm/half_joined.cuh"

HALF_JOINED(aat_half_little_bf16_k, 3, 64, 0, 0, 1, 1)
HALF_JOINED(aat_half_little_bf16_n, 3, 64, 1, 1, 1, 1)
HALF_JOINED(aat_half_little_f16_k, 3, 64, 0, 0, 0, 1)
HALF_JOINED(aat_half_little_f16_n, 3, 64, 1, 1, 0, 1)
