/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 80 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      a width between those of half_slim and half_96: where either leaves a part of a round idle, this may fill it.  Eight buffers where Y lies along k.
 * Bottleneck  slices from the L2; where Y does not lie along k, boxes of 64 columns, of which the second is a quarter used.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_80_bf16_kk, 80, 0, 0, 1, 8, 1, 0, 0)
HALF_KERNEL(gemm_half_80_bf16_kn, 80, 0, 1, 1, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_80_bf16_nk, 80, 1, 0, 1, 8, 1, 0, 0)
HALF_KERNEL(gemm_half_80_bf16_nn, 80, 1, 1, 1, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_80_f16_kk, 80, 0, 0, 0, 8, 1, 0, 0)
HALF_KERNEL(gemm_half_80_f16_kn, 80, 0, 1, 0, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_80_f16_nk, 80, 1, 0, 0, 8, 1, 0, 0)
HALF_KERNEL(gemm_half_80_f16_nn, 80, 1, 1, 0, 6, 1, 0, 0)
