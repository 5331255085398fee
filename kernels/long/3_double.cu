/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of doubles on the tensor cores, 128 x 128 tiles.
 *
 * Needs       sm_90
 * Change      mma m16n8k16 of doubles instead of multiplications of threads; slices by cp.async (double.cuh).
 * Bottleneck  the tensor cores.
 * Measured    docs/double.md. */
#define DOUBLE_SIXTEEN
#include "double.cuh"

DOUBLE_KERNEL(gemm_double_f64_kk, double_gemm, 128, 2 * DOUBLE_SLICE, true, true)
DOUBLE_KERNEL(gemm_double_f64_kn, double_gemm, 128, 2 * DOUBLE_SLICE, true, false)
DOUBLE_KERNEL(gemm_double_f64_nk, double_gemm, 128, 2 * DOUBLE_SLICE, false, true)
DOUBLE_KERNEL(gemm_double_f64_nn, double_gemm, 128, 2 * DOUBLE_SLICE, false, false)
DOUBLE_KERNEL(aat_double_f64_k, double_aat, 128, 2 * DOUBLE_SLICE, true, true)
DOUBLE_KERNEL(aat_double_f64_n, double_aat, 128, 2 * DOUBLE_SLICE, false, false)
