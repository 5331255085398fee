/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C of floats in float arithmetic, if g.count points to a word that is not zero: what split (44_split.cu) leaves to it.
 *
 * Change      wide behind a question, so that the host need not wait for the answer.
 * Bottleneck  as of wide; a microsecond or some where there is nothing to do.
 * Measured    docs/kernels.md. */
#include "tile.h"

typedef Shape<float, 128, 128, 8, 64, 64, 8, 16> Float;

template <typename S, bool XKC, bool YKC> static __device__ __forceinline__ void tile_if_asked(const GemmArgs &g)
{
    if (*(const volatile unsigned *)g.count)
        tile_gemm<S, XKC, YKC>(g);
}

TILE_KERNELS(gemm_split_else_f32, tile_if_asked, Float, 2)
