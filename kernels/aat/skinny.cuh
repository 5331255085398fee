/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * X^T + beta * C for an X of few columns (panel.cuh): square tiles on and under the diagonal, each computed once
 * and written twice, as it is and turned over.
 *
 *   beta      only C(r, c), r >= c, is read, or with an upper fill only C(c, r): all of a tile before any of it is written.
 *   diagonal  a tile there is symmetric to the bit as it is: x * y and y * x are added in the same order. */
#ifndef WW_KERNELS_AAT_SKINNY_H
#define WW_KERNELS_AAT_SKINNY_H

#include "../gemm/panel.cuh"
#include "symmetric.h"

/* One direction of a tile, to c by way of shared memory. */
template <typename S, bool TURN>
static __device__ __forceinline__ void tile_leave(const GemmArgs &g, typename S::type *c, typename S::type *memory, int rows, int cols,
                                                  bool diagonal, int row, int col, const typename S::type acc[S::TM][S::TN])
{
    stage_put<S, TURN>(memory, row, col, acc);
    __syncthreads();
    stage_write<typename S::type, S::BM, S::BN, S::THREADS>(g, c, memory, rows, cols, diagonal && g.fill == GEMM_FILL_LOWER,
                                                           diagonal && g.fill == GEMM_FILL_UPPER);
}

/* The same for both directions with beta: C's home first, the other from it. */
template <typename S>
static __device__ __forceinline__ void tile_keep(const GemmArgs &g, typename S::type *low, typename S::type *high, typename S::type *memory,
                                                 int rows, int cols, bool diagonal, int row, int col, const typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum { SIDE = S::BM };
    bool upper = g.fill >= GEMM_FILL_UPPER, lower = g.fill == GEMM_FILL_LOWER;
    T   *home = upper ? high : low, *other = upper ? low : high;
    int  down = upper ? cols : rows, across = upper ? rows : cols;
    if (upper)
        stage_put<S, true>(memory, row, col, acc);
    else
        stage_put<S, false>(memory, row, col, acc);
    __syncthreads();
    stage_keep<T, SIDE, S::THREADS>(g, home, memory, down, across, diagonal, upper);
    __syncthreads();
    stage_write<T, SIDE, SIDE, S::THREADS>(g, home, memory, down, across, diagonal && lower, diagonal && g.fill == GEMM_FILL_UPPER);
    if (diagonal || lower || g.fill == GEMM_FILL_UPPER)
        return;
    __syncthreads();
    stage_turn<T, SIDE, S::THREADS>(memory);
    __syncthreads();
    stage_write<T, SIDE, SIDE, S::THREADS>(g, other, memory, across, down, false, false);
}

template <typename S, bool KC, bool> static __device__ __forceinline__ void tile_skinny(const GemmArgs &g)
{
    typedef typename S::type T;
    enum { SIDE = S::BM };
    __shared__ __align__(16) T memory[SIDE * (SIDE + PAD)]; /* no less than the panels */
    T                          acc[S::TM][S::TN];
    int                        tm, tn, row, col;
    triangle_place(blockIdx.x, &tm, &tn);
    panel_place<S>(&row, &col);
    Operand<T> x    = {(const T *)g.x + blockIdx.z * g.x_batch, g.x_row, g.x_col, g.m, (g.vector & 1) != 0};
    int        row0 = tm * SIDE, col0 = tn * SIDE;
    panel_product<S, KC, KC>(x, x, row0, col0, g.k, memory, row, col, acc);
    panel_scale<S>(Four<T>::from(g.alpha), acc);
    int  rows = g.m - row0 < SIDE ? g.m - row0 : SIDE, cols = g.m - col0 < SIDE ? g.m - col0 : SIDE;
    bool diagonal = tm == tn;
    T   *c = (T *)g.c + blockIdx.z * g.c_batch, *low = c + row0 * g.ldc + col0, *high = c + col0 * g.ldc + row0;
    if (!Four<T>::zero(g.beta)) {
        tile_keep<S>(g, low, high, memory, rows, cols, diagonal, row, col, acc);
        return;
    }
    if (g.fill != GEMM_FILL_UPPER || diagonal)
        tile_leave<S, false>(g, low, memory, rows, cols, diagonal, row, col, acc);
    if (g.fill == GEMM_FILL_LOWER || diagonal)
        return;
    if (g.fill != GEMM_FILL_UPPER)
        __syncthreads();
    tile_leave<S, true>(g, high, memory, cols, rows, false, row, col, acc);
}

#endif
