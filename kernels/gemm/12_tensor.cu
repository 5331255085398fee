/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, operands by tensor copies.
 *
 * Needs       sm_90
 * Change      one thread orders the next slices from the copy engine; the others only read fragments and multiply.  An
 *             operand that is contiguous along k is transposed before, by copy_transposed.
 * Bottleneck  multiplications that want two registers of one bank: 302 of 4096 a slice; then the slice's barrier.
 * Measured    docs/kernels.md. */
#include "tensor.h"

typedef Shape<float, 128, 256, 32, 32, 128, 16, 8, 4>    Float;
typedef Shape<unsigned, 128, 256, 32, 32, 128, 16, 8, 4> Int;
TENSOR_KERNEL(gemm_tensor_f32, tensor_gemm, Float, 1)
TENSOR_KERNEL(gemm_tensor_i32, tensor_gemm, Int, 1)
