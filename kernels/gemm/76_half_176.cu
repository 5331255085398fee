/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 176 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      a width between half_160 and half_broad.
 * Bottleneck  what the tensor cores read and copies write of shared memory.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_176_bf16_kk, 176, 0, 0, 1, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_176_bf16_kn, 176, 0, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_176_bf16_nk, 176, 1, 0, 1, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_176_bf16_nn, 176, 1, 1, 1, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_176_f16_kk, 176, 0, 0, 0, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_176_f16_kn, 176, 0, 1, 0, 4, 2, 0, 0)
HALF_KERNEL(gemm_half_176_f16_nk, 176, 1, 0, 0, 5, 2, 0, 0)
HALF_KERNEL(gemm_half_176_f16_nn, 176, 1, 1, 0, 4, 2, 0, 0)
