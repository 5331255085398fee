/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of doubles on the tensor cores, 64 x 64 tiles, for results that are few tiles of 3_double.cu.
 *
 * Needs       sm_90
 * Change      tiles a quarter as large (double.cuh).
 * Bottleneck  shared memory: a warp reads as many doubles for each product as one of 3_double.cu, and a third more.
 * Measured    docs/double.md. */
#define DOUBLE_SIXTEEN
#include "double.cuh"

DOUBLE_KERNEL(gemm_double_little_f64_kk, double_gemm, 64, DOUBLE_SLICE, true, true)
DOUBLE_KERNEL(gemm_double_little_f64_kn, double_gemm, 64, DOUBLE_SLICE, true, false)
DOUBLE_KERNEL(gemm_double_little_f64_nk, double_gemm, 64, DOUBLE_SLICE, false, true)
DOUBLE_KERNEL(gemm_double_little_f64_nn, double_gemm, 64, DOUBLE_SLICE, false, false)
DOUBLE_KERNEL(aat_double_little_f64_k, double_aat, 64, DOUBLE_SLICE, true, true)
DOUBLE_KERNEL(aat_double_little_f64_n, double_aat, 64, DOUBLE_SLICE, false, false)
