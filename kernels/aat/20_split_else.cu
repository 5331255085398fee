/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C of floats in float arithmetic, if g.count points to a word that is not zero: what split (19_split.cu) leaves to it.
 *
 * Change      as twice, behind a question, so that the host need not wait for the answer.
 * Bottleneck  as of twice; a microsecond or some where there is nothing to do.
 * Measured    docs/kernels.md. */
#include "symmetric.h"

typedef Shape<float, 128, 128, 8, 64, 64, 8, 16> Float;

template <typename S, bool XKC, bool YKC> static __device__ __forceinline__ void symmetric_if_asked(const GemmArgs &g)
{
    if (*(const volatile unsigned *)g.count)
        tile_symmetric<S, XKC, YKC>(g);
}

TILE_KERNEL(aat_split_else_f32_k, symmetric_if_asked, Float, 2, true, true)
TILE_KERNEL(aat_split_else_f32_n, symmetric_if_asked, Float, 2, false, false)
