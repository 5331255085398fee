/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * X^T + beta * C, 64 x 64 tiles computed once and written twice.
 *
 * Change      small tiles: more blocks for small results, and four blocks a multiprocessor, so that for few columns in X
 *             (up to 64) one block's writes run while others read and multiply.
 * Bottleneck  with few columns in X, writing C.
 * Measured    docs/kernels.md. */
#include "symmetric.h"

typedef Shape<float, 64, 64, 8, 32, 32, 8, 4>    Float;
typedef Shape<unsigned, 64, 64, 8, 32, 32, 8, 4> Int;
SYMMETRIC_KERNELS(aat_twice_small_f32, Float, 4)
SYMMETRIC_KERNELS(aat_twice_small_i32, Int, 4)
