/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 96 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      three eighths of the columns of half, six or seven buffers, so that enough slices are under way.
 *             A round of tiles is full or nearly empty by how many there are: each width more is a chance of a full one.
 * Bottleneck  slices from the L2, as of half_narrow.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_96_bf16_kk, 96, 0, 0, 1, 7, 1, 0, 0)
HALF_KERNEL(gemm_half_96_bf16_kn, 96, 0, 1, 1, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_96_bf16_nk, 96, 1, 0, 1, 7, 1, 0, 0)
HALF_KERNEL(gemm_half_96_bf16_nn, 96, 1, 1, 1, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_96_f16_kk, 96, 0, 0, 0, 7, 1, 0, 0)
HALF_KERNEL(gemm_half_96_f16_kn, 96, 0, 1, 0, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_96_f16_nk, 96, 1, 0, 0, 7, 1, 0, 0)
HALF_KERNEL(gemm_half_96_f16_nn, 96, 1, 1, 0, 6, 1, 0, 0)
