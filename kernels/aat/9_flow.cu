/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole: 128 x 256 tiles computed once and written twice, warps at their own pace.
 *
 * Needs       sm_90a
 * Level       1, as gemm_flow.
 * Change      the pipeline of gemm_flow on the tiles of the triangle; blocks on the diagonal two by two.
 * Bottleneck  as gemm_flow; 64 of 4160 blocks of 64 x 64 above the diagonal are computed for nothing at 8192.
 * Measured    docs/kernels.md. */
#include "flow.cuh"

typedef Shape<float, 128, 256, 32, 64, 64, 16, 8, 4, 1>    Float;
typedef Shape<unsigned, 128, 256, 32, 64, 64, 16, 8, 4, 1> Int;
FLOW_KERNEL(aat_flow_f32, flow_symmetric, Float, 4)
FLOW_KERNEL(aat_flow_i32, flow_symmetric, Int, 4)
