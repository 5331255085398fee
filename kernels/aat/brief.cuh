/* SPDX-License-Identifier: Apache-2.0
 *
 * The symmetric product for a short k by the blocks of ../gemm/brief.cuh: each tile on or under the diagonal is computed once and written
 * twice.
 *
 *   tiles     as wide as high, or twice as wide: row i of tiles then has i / 2 + 1 of them, and of the last one in an even row the right half
 *             is above the diagonal, computed for nothing.
 *   C         A tile off the diagonal leaves straight from the registers where rows of C are aligned: along the rows 128 bytes to 8 lanes,
 *             turned over 64 bytes to 4.  Every other one by way of shared memory (mirror.cuh).
 *   beta      by way of shared memory too. */
#ifndef WW_KERNELS_AAT_BRIEF_H
#define WW_KERNELS_AAT_BRIEF_H

#include "../gemm/brief.cuh"
#include "mirror.cuh"

/* Its staged tile has no quads exchanged. */
template <typename T, int BM, int BN, int BK, int WM, int WN, int BUFFERS, int GROUPS>
struct RingSpread<BriefShape<T, BM, BN, BK, WM, WN, BUFFERS, GROUPS> > {
    enum { ON = 1 };
};

template <typename S> static __device__ __forceinline__ void brief_tile(int *row0, int *col0)
{
    int tm, tn, wide = S::BN / S::BM;
    triangle_place(blockIdx.x / wide, &tm, &tn);
    if (wide == 2) { /* two rows of blocks with tm + 1 tiles each */
        int at = tn * 2 + (int)blockIdx.x % 2, lower = at > tm;
        tn = at - lower * (tm + 1);
        tm = tm * 2 + lower;
    }
    *row0 = tm * S::BM;
    *col0 = tn * S::BN;
}

/* Both directions of a whole tile off the diagonal. */
template <typename S>
static __device__ __forceinline__ void brief_twice(const GemmArgs &g, typename S::type *c, int row0, int col0, const BriefPlace &p,
                                                   typename S::type mine[S::MINE][S::TN])
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    T alpha = Four<T>::from(g.alpha);
#pragma unroll
    for (int i = 0; i < S::MINE; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            mine[i][j] = alpha * mine[i][j];
    if (g.fill != GEMM_FILL_UPPER)
#pragma unroll
        for (int i = 0; i < S::MINE; i++) {
            T *to = c + (unsigned long long)(row0 + brief_row<S>(p, i)) * g.ldc + col0 + p.col;
#pragma unroll
            for (int j = 0; j < S::TN; j += 4) {
                V v = {mine[i][j], mine[i][j + 1], mine[i][j + 2], mine[i][j + 3]};
                *(V *)(to + j / 4 * S::ACROSS) = v;
            }
        }
    if (g.fill != GEMM_FILL_LOWER)
#pragma unroll
        for (int j = 0; j < S::TN; j++) {
            T *to = c + (unsigned long long)(col0 + p.col + j / 4 * S::ACROSS + j % 4) * g.ldc + row0;
#pragma unroll
            for (int i = 0; i < S::MINE; i += 4) {
                V v = {mine[i][j], mine[i + 1][j], mine[i + 2][j], mine[i + 3][j]};
                *(V *)(to + brief_row<S>(p, i)) = v;
            }
        }
}

template <typename S, bool KC, bool> static __device__ __forceinline__ void brief_symmetric(const GemmArgs &g)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    T         *tile = (T *)(memory + S::FOLD), mine[S::MINE][S::TN];
    int        row0, col0;
    BriefPlace p = brief_place<S>();
    brief_tile<S>(&row0, &col0);
    asm volatile("griddepcontrol.wait;" ::: "memory");
    brief_results<S, KC, KC>(g, shared_address(memory), row0, col0, p, mine);
    if ((g.vector & 4) && row0 + S::BM <= g.m && col0 + S::BN <= row0 && Four<T>::zero(g.beta)) {
        brief_twice<S>(g, (T *)g.c + blockIdx.z * g.c_batch, row0, col0, p, mine);
        return;
    }
    brief_stage<S>(tile, p, mine);
    Triangle::write<S>(g, tile, blockIdx.z, row0, col0, 0, S::BM);
}

#define MIRROR_BRIEF(name, shape, blocks)                                                                              \
    TILE_KERNEL(name##_k, brief_symmetric, shape, blocks, true, true)                                                  \
    TILE_KERNEL(name##_n, brief_symmetric, shape, blocks, false, false)

#endif
