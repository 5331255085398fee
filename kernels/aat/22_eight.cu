/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of fp8 (e4m3, e5m2) with float sums, scaled by rows, 128 x 192 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      pairs of tiles on and under the diagonal, each written in both directions (gemm/half.cuh).
 * Bottleneck  the card's power, and the additions of a slice's sums; where k is short, stores of C.
 * Measured    docs/kernels.md. */
#include "../gemm/half.cuh"

HALF_KERNEL(aat_eight_e4m3, 192, 0, 0, 1, 4, 4, 1, 0, 1)
HALF_KERNEL(aat_eight_e5m2, 192, 0, 0, 1, 4, 4, 1, 0, 2)
