/* SPDX-License-Identifier: Apache-2.0
 *
 * The operands of a product that tensor copies cannot read where they lie, both in one launch (matrix.cuh).
 *
 * Needs       sm_90
 * Change      one launch instead of two; it begins while the kernel in front of it ends, and the product while this one does.
 * Bottleneck  the launch for operands of a few hundred KB, above that the memory: 8 bytes an element.
 * Measured    docs/kernels.md. */
#include "../gemm/element.h"
#include "matrix.cuh"

extern "C" __global__ void __launch_bounds__(256, 4) copy_operands(CopyArgs a)
{
    grid_turn();
    copy_parts(a);
}
