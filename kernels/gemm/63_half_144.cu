/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of bf16 or fp16 with float sums, 128 x 144 tiles on the tensor cores.
 *
 * Needs       sm_90a
 * Change      a width between those of half_narrow and half_160, for the same reason as half_80.
 * Bottleneck  as of half_160.
 * Measured    docs/kernels.md. */
#include "half.cuh"

HALF_KERNEL(gemm_half_144_bf16_kk, 144, 0, 0, 1, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_144_bf16_kn, 144, 0, 1, 1, 5, 1, 0, 0)
HALF_KERNEL(gemm_half_144_bf16_nk, 144, 1, 0, 1, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_144_bf16_nn, 144, 1, 1, 1, 5, 1, 0, 0)
HALF_KERNEL(gemm_half_144_f16_kk, 144, 0, 0, 0, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_144_f16_kn, 144, 0, 1, 0, 5, 1, 0, 0)
HALF_KERNEL(gemm_half_144_f16_nk, 144, 1, 0, 0, 6, 1, 0, 0)
HALF_KERNEL(gemm_half_144_f16_nn, 144, 1, 1, 0, 5, 1, 0, 0)
