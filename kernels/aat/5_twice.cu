/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * X^T + beta * C, 128 x 128 tiles computed once and written twice.
 *
 * Change      half the multiplications of the wide kernel: tiles above the diagonal are the others turned over.
 * Bottleneck  as the wide kernel; with few columns in X, writing C.
 * Measured    docs/kernels.md. */
#include "symmetric.h"

typedef Shape<float, 128, 128, 8, 64, 64, 8, 16>    Float;
typedef Shape<unsigned, 128, 128, 8, 64, 64, 8, 16> Int;
SYMMETRIC_KERNELS(aat_twice_f32, Float, 2)
SYMMETRIC_KERNELS(aat_twice_i32, Int, 2)
