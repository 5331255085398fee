/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C for a short k, bound by writing C (panel.cuh): a block has one tile of C.
 *
 *   straight  a whole tile of aligned rows, without beta, is stored from the registers: 8 lanes write 128 bytes of a row.
 *   staged    any other by way of shared memory, over the panels, which are done with; beta is added there.
 *
 * Not for a long k: the panels are loaded PANEL steps at a time, and nothing multiplies meanwhile. */
#ifndef WW_KERNELS_GEMM_SHEET_H
#define WW_KERNELS_GEMM_SHEET_H

#include "panel.cuh"

template <typename S>
static __device__ __forceinline__ void tile_straight(const GemmArgs &g, typename S::type *c, int row, int col,
                                                     const typename S::type acc[S::TM][S::TN])
{
    typedef typename Four<typename S::type>::type V;
#pragma unroll
    for (int i = 0; i < S::TM; i += 4)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            typename S::type *to = c + (row + i / 4 * S::DOWN) * g.ldc + col + j / 4 * S::ACROSS;
#pragma unroll
            for (int e = 0; e < 4; e++, to += g.ldc) {
                V along = {acc[i + e][j], acc[i + e][j + 1], acc[i + e][j + 2], acc[i + e][j + 3]};
                store_once((V *)to, along);
            }
        }
}

template <typename S>
static __device__ __forceinline__ void tile_staged(const GemmArgs &g, typename S::type *c, typename S::type *memory,
                                                   int rows, int cols, int row, int col,
                                                   const typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    stage_put<S, false>(memory, row, col, acc);
    __syncthreads();
    if (!Four<T>::zero(g.beta)) {
        stage_keep<T, S::BN, S::THREADS>(g, c, memory, rows, cols, false, false);
        __syncthreads();
    }
    stage_write<T, S::BM, S::BN, S::THREADS>(g, c, memory, rows, cols, false, false);
}

template <typename S, bool XKC, bool YKC> static __device__ __forceinline__ void tile_sheet(const GemmArgs &g)
{
    typedef typename S::type T;
    __shared__ __align__(16) T memory[S::BM * (S::BN + PAD)]; /* no less than the panels */
    T                          acc[S::TM][S::TN];
    int                        tm, tn, row, col;
    tile_order(blockIdx.x, (g.m + S::BM - 1) / S::BM, (g.n + S::BN - 1) / S::BN, &tm, &tn);
    panel_place<S>(&row, &col);
    Operand<T> x    = {(const T *)g.x + blockIdx.z * g.x_batch, g.x_row, g.x_col, g.m, (g.vector & 1) != 0};
    Operand<T> y    = {(const T *)g.y + blockIdx.z * g.y_batch, g.y_col, g.y_row, g.n, (g.vector & 2) != 0};
    int        row0 = tm * S::BM, col0 = tn * S::BN;
    panel_product<S, XKC, YKC>(x, y, row0, col0, g.k, memory, row, col, acc);
    panel_scale<S>(Four<T>::from(g.alpha), acc);
    int rows = g.m - row0 < S::BM ? g.m - row0 : S::BM, cols = g.n - col0 < S::BN ? g.n - col0 : S::BN;
    T  *c = (T *)g.c + blockIdx.z * g.c_batch + row0 * g.ldc + col0;
    if ((g.vector & 4) && rows == S::BM && cols == S::BN && Four<T>::zero(g.beta))
        tile_straight<S>(g, c, row, col, acc);
    else
        tile_staged<S>(g, c, memory, rows, cols, row, col, acc);
}

#endif
