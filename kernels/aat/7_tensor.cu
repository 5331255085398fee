/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * A * A^T + beta * C, whole: 128 x 128 tiles computed once and written twice, operands by tensor copies.
 *
 * Needs       sm_90
 * Change      the pipeline of gemm_tensor on the tiles of the twice kernel, two blocks a multiprocessor; an A that is
 *             contiguous along k is transposed once, for both operands.
 * Bottleneck  as gemm_tensor.
 * Measured    docs/kernels.md. */
#include "symmetric.h"
#include "../gemm/tensor.h"

template <typename S> static __device__ __forceinline__ void tensor_symmetric(const TensorArgs &a)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char slices[];
    __shared__ __align__(8) Bar bars[S::BUFFERS];
    const GemmArgs             &g = a.g;
    T                           acc[S::TM][S::TN];
    Ring<S>                     ring;
    int                         tm, tn;
    ring.open((T *)slices, bars);
    triangle_place(blockIdx.x, &tm, &tn);
    tensor_product<S>(a, ring, tm * S::BM, tn * S::BN, 0, (g.k + S::BK - 1) / S::BK, acc);
    tile_write_twice<S>(g, (T *)g.c, tm * S::BM, tn * S::BN, acc);
}

typedef Shape<float, 128, 128, 32, 64, 64, 16, 8, 3>    Float;
typedef Shape<unsigned, 128, 128, 32, 64, 64, 16, 8, 3> Int;
TENSOR_KERNEL(aat_tensor_f32, tensor_symmetric, Float, 2)
TENSOR_KERNEL(aat_tensor_i32, tensor_symmetric, Int, 2)
