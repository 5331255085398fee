/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of bf16 or fp16 with float sums, 128 x 256 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      pairs of tiles on and under the diagonal, each written in both directions (gemm/half.cuh).
 * Bottleneck  the card's power; where k is short, stores of C.
 * Measured    docs/kernels.md. */
#include "../gemm/half.cuh"

HALF_KERNEL(aat_half_bf16_k, 256, 0, 0, 1, 4, 2, 1, 1)
HALF_KERNEL(aat_half_bf16_n, 256, 1, 1, 1, 4, 2, 1, 1)
HALF_KERNEL(aat_half_f16_k, 256, 0, 0, 0, 4, 2, 1, 1)
HALF_KERNEL(aat_half_f16_n, 256, 1, 1, 0, 4, 2, 1, 1)
