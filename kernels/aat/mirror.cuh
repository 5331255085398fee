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
#include "rotate.cuh"
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

/* The same of any tile, element by element, 32 neighbours of a row of C at a time.  WHOLE: all of it is there and below the diagonal.  ADD: + beta
 * * C, that back into the tile.  again: the diagonal is written already. */
template <typename S, bool WHOLE, bool ADD>
static __device__ __forceinline__ void mirror_rows(const GemmArgs &g, typename S::type *c, typename S::type *tile, int row0, int col0, int r0,
                                                   int r1, typename S::type scale, bool again)
{
    typedef typename S::type T;
    enum { SIDE = 32, DOWN = S::THREADS / SIDE, WIDE = S::BN / SIDE };
    int                at = threadIdx.x % SIDE, r = r0 + threadIdx.x / SIDE, last = row0 - col0 - again; /* column of row 0 */
    T                  beta = Four<T>::from(g.beta), *out = c + (row0 + r) * g.ldc + col0 + at;
    unsigned long long step = g.ldc * DOWN;
#pragma unroll 4
    for (; r < r1; r += DOWN, out += step) {
        T *from = tile + direct_at<S>(r, at ^ 1), v[WIDE];
#pragma unroll
        for (int j = 0; j < WIDE; j++)
            v[j] = scale * from[j * SIDE];
#pragma unroll
        for (int j = 0; j < WIDE; j++) {
            if (!WHOLE && at + j * SIDE > last + r)
                continue;
            if (ADD)
                from[j * SIDE] = v[j] = mul_add(beta, out[j * SIDE], v[j]);
            out[j * SIDE] = v[j];
        }
    }
}

/* Turned: the lanes whose rows lie in the same banks read four columns, each beginning with another one. */
template <typename S, bool WHOLE, bool ADD>
static __device__ __forceinline__ void mirror_columns(const GemmArgs &g, typename S::type *c, typename S::type *tile, int row0, int col0,
                                                      int r0, int r1, typename S::type scale, bool again)
{
    typedef typename S::type T;
    enum { SIDE = 32, DOWN = WHOLE ? S::BM / SIDE : 1, STEP = S::THREADS / SIDE * 4 }; /* a multiple of 16: what exchanges columns stays */
    T                  beta = Four<T>::from(g.beta);
    unsigned long long step = g.ldc;
    int                lane = threadIdx.x % SIDE, at = threadIdx.x / SIDE * 4;
#pragma unroll 1
    for (; r0 < r1; r0 += DOWN * SIDE) {
        int  r = r0 + lane, last = r < r1 ? row0 + r - col0 - again : -1; /* column of this row */
        bool mine = WHOLE || r < r1;
        T   *out = c + (col0 + at) * g.ldc + row0 + r, *from[4];
#pragma unroll
        for (int e = 0; e < 4; e++)
            from[e] = tile + direct_at<S>(r, (at + (e + lane / 8) % 4) ^ 1);
#pragma unroll 4
        for (int i = 0; i < S::BN; i += STEP, out += (STEP - 4) * step) {
            T v[DOWN][4];
#pragma unroll
            for (int d = 0; d < DOWN; d++) {
#pragma unroll
                for (int e = 0; e < 4; e++)
                    v[d][e] = mine ? scale * from[e][i + d * SIDE * S::PITCH] : T(0);
                rotate_four<1>(v[d], lane / 8);
            }
#pragma unroll
            for (int e = 0; e < 4; e++, out += step, step = opaque(step))
#pragma unroll
                for (int d = 0; d < DOWN; d++) {
                    if (!WHOLE && at + i + e > last)
                        continue;
                    if (ADD)
                        v[d][e] = mul_add(beta, out[d * SIDE], v[d][e]);
                    out[d * SIDE] = v[d][e];
                }
            if (!ADD || !mine)
                continue;
#pragma unroll
            for (int d = 0; d < DOWN; d++) {
                rotate_four<-1>(v[d], lane / 8);
#pragma unroll
                for (int e = 0; e < 4; e++)
                    from[e][i + d * SIDE * S::PITCH] = v[d][e];
            }
        }
    }
}

template <typename S, bool TURNED>
static __device__ __forceinline__ void mirror_walk(const GemmArgs &g, typename S::type *c, typename S::type *tile, int row0, int col0, int r0,
                                                   int r1, typename S::type scale, bool add, bool again)
{
    bool below = col0 + S::BN <= row0;
    if ((g.vector & 4) && row0 + r1 <= g.m && below && !add)
        return mirror_quads<S, TURNED>(g, c, tile, row0, col0, r0, r1, scale);
    r1 = r1 < g.m - row0 ? r1 : g.m - row0;
    if (TURNED && add)
        mirror_columns<S, false, true>(g, c, tile, row0, col0, r0, r1, scale, again);
    else if (TURNED && below && r1 - r0 == S::BM)
        mirror_columns<S, true, false>(g, c, tile, row0, col0, r0, r1, scale, again);
    else if (TURNED)
        mirror_columns<S, false, false>(g, c, tile, row0, col0, r0, r1, scale, again);
    else if (add)
        mirror_rows<S, false, true>(g, c, tile, row0, col0, r0, r1, scale, again);
    else if (below)
        mirror_rows<S, true, false>(g, c, tile, row0, col0, r0, r1, scale, again);
    else
        mirror_rows<S, false, false>(g, c, tile, row0, col0, r0, r1, scale, again);
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
