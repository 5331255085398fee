/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, operands by tensor copies, warps at their own pace.
 *
 * Needs       sm_90a
 * Level       1: further optimised, the loop has another order than the one that stands here, and 2 % more operands to read.
 * Change      X along k is turned by the warps that do not multiply (turn.cuh).
 *             a warp that only orders slices, mbarriers instead of the slice's barrier, a loop that fits the instruction cache, lanes
 *             in an order in which reads of shared memory do not delay multiplications.
 * Bottleneck  issue slots: 1024 of the loop's 1082 instructions multiply, 55 to 91 of them read three registers and take half a slot more.
 * Measured    docs/kernels.md. */
#include "turn.cuh"

typedef Shape<float, 128, 256, 32, 64, 64, 16, 8, 4, 1>    Float;
typedef Shape<unsigned, 128, 256, 32, 64, 64, 16, 8, 4, 1> Int;
typedef Shape<float, 128, 256, 32, 64, 64, 16, 8, 3, 1>    FloatAlong;
typedef Shape<unsigned, 128, 256, 32, 64, 64, 16, 8, 3, 1> IntAlong;
FLOW_KERNEL(gemm_flow_f32, flow_gemm, Float, 8)
FLOW_KERNEL(gemm_flow_i32, flow_gemm, Int, 8)
FLOW_KERNEL(gemm_flow_f32_k, flow_turned, FloatAlong, 8)
FLOW_KERNEL(gemm_flow_i32_k, flow_turned, IntAlong, 8)
