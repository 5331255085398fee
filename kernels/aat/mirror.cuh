/* SPDX-License-Identifier: Apache-2.0
 *
 * The tiles of the symmetric product for the kernels of ../gemm/direct.cuh and ../gemm/comb.cuh: square, on and under the diagonal, each
 * computed once and written twice from shared memory, where those kernels leave it.
 *
 *   halves    A block has whole rows of a tile (of a cluster, each block its share).  They leave along the rows of C, and as pieces of its
 *             columns as rows of the other half: 32 bytes of 16 rows a warp, read from 32 banks.
 *   diagonal  Of a tile there only elements with r >= c are written, each to both places: the blocks of a cluster add up their
 *             rows in orders of their own, so what lies above differs in its last bits.  With that C has the same bits in both
 *             halves, whatever k was shared out among.
 *   beta      only C(r, c), r >= c, is read; with an upper fill only C(c, r).  The sum goes back into the tile before it is written to
 *             the other half. */
#ifndef WW_KERNELS_AAT_MIRROR_CUH
#define WW_KERNELS_AAT_MIRROR_CUH

#include "../gemm/comb.cuh"
#include "symmetric.h"

/* One direction of the rows [r0, r1) of a whole tile off the diagonal, rows of C aligned: C = scale * tile.  Staged pairs of columns are the
 * other way round. */
template <typename S, bool TURNED>
static __device__ __forceinline__ void mirror_quads(const GemmArgs &g, typename S::type *c, const typename S::type *tile, int row0, int col0,
                                                    int r0, int r1, typename S::type scale)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4 };
    int quads = (r1 - r0) / 4, pair = quads % 2 ? 1 : 2; /* turned: neighbouring lanes have that many quads of one row of C */
    for (int i = threadIdx.x; i < quads * S::BN; i += S::THREADS) {
        int r = r0 + (TURNED ? (i % pair + i / (S::BN * pair) * pair) * 4 : i / Q), at = TURNED ? i / pair % S::BN : i % Q * 4;
        T   v[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            v[e] = scale * (TURNED ? tile[direct_at<S>(r + e, at ^ 1)] : tile[direct_at<S>(r, at) + (e ^ 1)]);
        V q = {v[0], v[1], v[2], v[3]};
        *(V *)(c + (unsigned long long)(TURNED ? col0 + at : row0 + r) * g.ldc + (TURNED ? row0 + r : col0 + at)) = q;
    }
}

/* The same of any tile, element by element, neighbours of a row of C side by side (turned, 8 of them: no two lanes of a warp then want one
 * bank).  add: + beta * C, that back into the tile.  again: the diagonal is written already. */
template <typename S, bool TURNED>
static __device__ __forceinline__ void mirror_elements(const GemmArgs &g, typename S::type *c, typename S::type *tile, int row0, int col0,
                                                       int r0, int r1, typename S::type scale, bool add, bool again)
{
    typedef typename S::type T;
    enum { NEXT = 8 };
    T beta = Four<T>::from(g.beta);
#pragma unroll 4
    for (int i = threadIdx.x; i < (r1 - r0 + NEXT - 1) / NEXT * NEXT * S::BN; i += S::THREADS) {
        int r = r0 + (TURNED ? i % NEXT + i / (S::BN * NEXT) * NEXT : i / S::BN), at = TURNED ? i / NEXT % S::BN : i % S::BN;
        if (r >= r1 || row0 + r >= g.m || col0 + at + again > row0 + r)
            continue;
        T *here = tile + direct_at<S>(r, at ^ 1), sum = scale * *here;
        T *out = c + (unsigned long long)(TURNED ? col0 + at : row0 + r) * g.ldc + (TURNED ? row0 + r : col0 + at);
        if (add)
            *here = sum = mul_add(beta, *out, sum);
        *out = sum;
    }
}

template <typename S, bool TURNED>
static __device__ __forceinline__ void mirror_walk(const GemmArgs &g, typename S::type *c, typename S::type *tile, int row0, int col0, int r0,
                                                   int r1, typename S::type scale, bool add, bool again)
{
    if ((g.vector & 4) && row0 + r1 <= g.m && row0 != col0 && !add)
        mirror_quads<S, TURNED>(g, c, tile, row0, col0, r0, r1, scale);
    else
        mirror_elements<S, TURNED>(g, c, tile, row0, col0, r0, r1, scale, add, again);
}

struct Triangle {
    enum { ROWS = 4 };
    int tiles;
    template <typename S> __device__ __forceinline__ void open(const GemmArgs &g)
    {
        int down = (g.m + S::BM - 1) / S::BM;
        tiles    = down * (down + 1) / 2;
    }
    __device__ __forceinline__ void place(int tile, int *tm, int *tn) const { triangle_place((unsigned)tile, tm, tn); }

    /* To the half that beta reads, then to the other one. */
    template <typename S>
    static __device__ __forceinline__ void write(const GemmArgs &g, typename S::type *tile, unsigned z, int row0, int col0, int r0, int r1)
    {
        typedef typename S::type T;
        bool turned = g.fill >= GEMM_FILL_UPPER, add = !Four<T>::zero(g.beta);
        T    scale = Four<T>::from(g.alpha), *c = (T *)g.c + z * g.c_batch;
        int  times = g.fill == GEMM_FILL_FULL || g.fill == GEMM_FILL_FULL_FROM_UPPER ? 2 : 1;
#pragma unroll 1
        for (int i = 0; i < times; i++) {
            if (turned)
                mirror_walk<S, true>(g, c, tile, row0, col0, r0, r1, scale, add, i > 0);
            else
                mirror_walk<S, false>(g, c, tile, row0, col0, r0, r1, scale, add, i > 0);
            if (add)
                __syncthreads();
            scale  = add ? T(1) : scale;
            add    = false;
            turned = !turned;
        }
    }
};

#define MIRROR_COMB(name, body, shape, blocks)                                                                         \
    COMB_KERNEL(name##_k, body, shape, Triangle, blocks, true, true)                                                   \
    COMB_KERNEL(name##_n, body, shape, Triangle, blocks, false, false)
#define MIRROR_DIRECT(name, shape, blocks, ahead)                                                                      \
    DIRECT_KERNEL(name##_k, shape, Triangle, blocks, true, ahead, true, true)                                          \
    DIRECT_KERNEL(name##_n, shape, Triangle, blocks, true, ahead, false, false)

#endif
