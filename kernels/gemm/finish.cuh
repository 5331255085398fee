/* SPDX-License-Identifier: Apache-2.0
 *
 * The end of a result, before it is rounded: biases and an activation (GemmEnd in args.h). */
#ifndef WW_KERNELS_GEMM_FINISH_CUH
#define WW_KERNELS_GEMM_FINISH_CUH

#include "element.h"

/* 16 bits as a float. */
template <int BRAIN> static __device__ __forceinline__ float half_value(unsigned short bits)
{
    float v;
    if (BRAIN)
        v = Four<float>::from((unsigned)bits << 16);
    else
        asm("cvt.f32.f16 %0, %1;" : "=f"(v) : "h"(bits));
    return v;
}

/* Element i of a bias of floats (wide) or 16-bit numbers; BRAIN: bf16. */
template <int BRAIN> static __device__ __forceinline__ float bias_at(GemmConst bias, int wide, int i)
{
    return wide ? ((const float *)bias)[i] : half_value<BRAIN>(((const unsigned short *)bias)[i]);
}

/* v times the logistic function of a polynomial in v.  The square is kept finite: 0 times infinity is NaN. */
static __device__ __forceinline__ float gated(float v, float one, float three)
{
    float square = v * v, power, part;
    square       = square > 1e30f ? 1e30f : square;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(v * mul_add(three, square, one)));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(part) : "f"(1.0f + power));
    return v * part;
}

static __device__ __forceinline__ float activated(const GemmEnd &e, float v)
{
    if (e.activation == GEMM_GATE)
        return gated(v, e.gate[0], e.gate[1]);
    return e.activation == GEMM_RECTIFY && v < 0.0f ? 0.0f : v;
}

template <int BRAIN> static __device__ __forceinline__ float finished(const GemmEnd &e, int wide, float v, int row, int col)
{
    if (e.row_bias)
        v += bias_at<BRAIN>(e.row_bias, wide, row);
    if (e.column_bias)
        v += bias_at<BRAIN>(e.column_bias, wide, col);
    return activated(e, v);
}

#endif
