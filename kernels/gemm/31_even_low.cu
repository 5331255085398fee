/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 64 x 128 tiles, every block the same share of the work.
 *
 * Needs       sm_90a
 * Change      gemm_even_high on its side: fewer rows to draw.
 * Bottleneck  issue slots, of which drawing an operand along k takes up to a tenth; for small products, parts of tiles in the workspace.
 * Measured    docs/kernels.md. */
#include "even.cuh"

typedef Shape<float, 64, 128, 16, 64, 64, 16, 8, 5, 1>    Float;
typedef Shape<unsigned, 64, 128, 16, 64, 64, 16, 8, 5, 1> Int;
EVEN_KERNELS(gemm_even_low, Float, Int, 2, 2, 48, 208)
