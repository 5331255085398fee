/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, operands by tensor copies, warps at their own pace.
 *
 * Needs       sm_90a
 * Change      a warp that only orders slices, mbarriers instead of the slice's barrier, a loop that fits the instruction cache, lanes
 *             in an order in which reads of shared memory do not delay multiplications.
 * Bottleneck  issue slots: 1024 of the loop's 1080 instructions multiply, 90 of them read three registers and take half a slot more.
 * Measured    docs/kernels.md. */
#include "flow.h"

typedef Shape<float, 128, 256, 32, 64, 64, 16, 8, 4, 1>    Float;
typedef Shape<unsigned, 128, 256, 32, 64, 64, 16, 8, 4, 1> Int;
FLOW_KERNEL(gemm_flow_f32, flow_gemm, Float, 8)
FLOW_KERNEL(gemm_flow_i32, flow_gemm, Int, 8)
