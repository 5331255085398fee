/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 128 tiles, every block the same share of the work.
 *
 * Needs       sm_90a
 * Change      two blocks a multiprocessor, each with a fetching warpgroup, so that nothing is copied before; k shared out to a slice.
 * Bottleneck  issue slots, of which drawing an operand along k takes up to a tenth; for small products, parts of tiles in the workspace.
 * Measured    docs/kernels.md. */
#include "even.cuh"

typedef Shape<float, 128, 128, 24, 64, 64, 16, 8, 3, 1>    Float;
typedef Shape<unsigned, 128, 128, 24, 64, 64, 16, 8, 3, 1> Int;
EVEN_KERNELS(gemm_even, Float, Int, 1, 2, 48, 208)
