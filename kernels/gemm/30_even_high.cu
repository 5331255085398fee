/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 128 x 64 tiles, every block the same share of the work.
 *
 * Needs       sm_90a
 * Change      two groups of warps share the steps of each slice: half the tile, half the parts in the workspace.
 * Bottleneck  issue slots, of which drawing an operand along k takes up to a tenth; for small products, parts of tiles in the workspace.
 * Measured    docs/kernels.md. */
#include "even.cuh"

typedef Shape<float, 128, 64, 16, 64, 64, 16, 8, 5, 1>    Float;
typedef Shape<unsigned, 128, 64, 16, 64, 64, 16, 8, 5, 1> Int;
EVEN_KERNELS(gemm_even_high, Float, Int, 2, 2, 48, 208)
