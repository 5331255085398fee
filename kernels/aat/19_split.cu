/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of floats on the tensor cores, as accurate as in float arithmetic.
 *
 * Needs       sm_90a
 * Change      the A * B kernel on the tiles on and under the diagonal, written in both directions; one operand to split.
 * Bottleneck  tensor cores: three times the work of half_narrow.
 * Measured    docs/kernels.md.
 *
 * split_most, split_halves and split_judge (../gemm/44_split.cu) make the operand. */
#include "../gemm/split.cuh"

SPLIT_KERNEL(aat_split_f32_k, 128, 0, 0, 0, 3, 0, 1, 0)
SPLIT_KERNEL(aat_split_f32_n, 128, 1, 1, 0, 3, 0, 1, 0)
