/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * X^T + beta * C: each tile on or under the diagonal is computed once and written twice.
 *
 *   tile      of block t: row i, column j <= i with t = i (i + 1) / 2 + j
 *   (r, c)    its result goes to C(r, c) along the row, 16 bytes of a lane's square at a time, and to C(c, r) down the
 *             column: the square turned in the registers gives 16 bytes there too, and the 8 lanes of a column of
 *             squares are neighbours, 128 bytes together.
 *   diagonal  a tile there holds both halves; only elements with r >= c are written, each to both places, so both
 *             halves have the same bits in the whole of C.
 *   beta      only C(r, c), r >= c, is read; with an upper fill only C(c, r).  Reader and writer of an element are the
 *             same lane. */
#ifndef WW_KERNELS_GEMM_SYMMETRIC_H
#define WW_KERNELS_GEMM_SYMMETRIC_H

#include "../gemm/tile.h"

static __device__ __forceinline__ void triangle_place(unsigned t, int *row, int *col)
{
    unsigned i = (unsigned)((__builtin_sqrtf(8.0f * (float)t + 1.0f) - 1.0f) * 0.5f);
    while (i * (i + 1) / 2 > t)
        i--;
    while ((i + 1) * (i + 2) / 2 <= t)
        i++;
    *row = (int)i;
    *col = (int)(t - i * (i + 1) / 2);
}

/* One 4 x 4 square whose elements all exist and lie off the diagonal; low and high are C(r, c) and C(c, r). */
template <typename T>
static __device__ __forceinline__ void square_write(const GemmArgs &g, T *low, T *high, T q[4][4])
{
    typedef typename Four<T>::type V;
    T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta);
    bool keep = !Four<T>::zero(g.beta), upper = g.fill >= GEMM_FILL_UPPER;
    T   *home = upper ? high : low;
#pragma unroll
    for (int i = 0; i < 4; i++)
#pragma unroll
        for (int j = 0; j < 4; j++)
            q[i][j] = alpha * q[i][j];
    if (keep) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            V v    = *(const V *)(home + i * g.ldc);
            T e[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
            for (int j = 0; j < 4; j++)
                if (upper)
                    q[j][i] = mul_add(beta, e[j], q[j][i]);
                else
                    q[i][j] = mul_add(beta, e[j], q[i][j]);
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        V row = {q[i][0], q[i][1], q[i][2], q[i][3]}, col = {q[0][i], q[1][i], q[2][i], q[3][i]};
        if (g.fill != GEMM_FILL_UPPER)
            *(V *)(low + i * g.ldc) = row;
        if (g.fill != GEMM_FILL_LOWER)
            *(V *)(high + i * g.ldc) = col;
    }
}

template <typename T> static __device__ __forceinline__ void element_write(const GemmArgs &g, T *c, int row, int col, T sum)
{
    T *low = c + row * g.ldc + col, *high = c + col * g.ldc + row;
    T  v = Four<T>::from(g.alpha) * sum;
    if (row >= g.m || col > row)
        return;
    if (!Four<T>::zero(g.beta))
        v = mul_add(Four<T>::from(g.beta), g.fill >= GEMM_FILL_UPPER ? *high : *low, v);
    if (g.fill != GEMM_FILL_UPPER)
        *low = v;
    if (g.fill != GEMM_FILL_LOWER)
        *high = v;
}

template <typename S>
static __device__ __forceinline__ void tile_write_twice(const GemmArgs &g, typename S::type *c, int row0, int col0,
                                                        const typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    int  row, col;
    bool fast = (g.vector & 4) && row0 + S::BM <= g.m && row0 >= col0 + S::BN;
    lane_place<S>(&row, &col);
    row += row0;
    col += col0;
#pragma unroll
    for (int i = 0; i < S::TM; i += 4)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            unsigned long long r = row + i / 4 * S::DOWN, at = col + j / 4 * S::ACROSS;
            T                  q[4][4];
#pragma unroll
            for (int a = 0; a < 4; a++)
#pragma unroll
                for (int b = 0; b < 4; b++)
                    q[a][b] = acc[i + a][j + b];
            if (fast) {
                square_write(g, c + r * g.ldc + at, c + at * g.ldc + r, q);
            } else {
#pragma unroll
                for (int a = 0; a < 4; a++)
#pragma unroll
                    for (int b = 0; b < 4; b++)
                        element_write(g, c, (int)r + a, (int)at + b, q[a][b]);
            }
        }
}

template <typename S, bool XKC, bool YKC> static __device__ __forceinline__ void tile_symmetric(const GemmArgs &g)
{
    typedef typename S::type T;
    __shared__ __align__(16) T shared[S::WORDS];
    T                          acc[S::TM][S::TN];
    int                        tm, tn;
    unsigned long long         z = blockIdx.z;
    const T                   *x = (const T *)g.x + z * g.x_batch;
    triangle_place(blockIdx.x, &tm, &tn);
    tile_product<S, XKC, YKC>(g, x, x, tm * S::BM, tn * S::BN, 0, g.k, shared, acc);
    tile_write_twice<S>(g, (T *)g.c + z * g.c_batch, tm * S::BM, tn * S::BN, acc);
}

#define SYMMETRIC_KERNELS(name, shape, blocks)                                                                         \
    TILE_KERNEL(name##_k, tile_symmetric, shape, blocks, true, true)                                                   \
    TILE_KERNEL(name##_n, tile_symmetric, shape, blocks, false, false)

#endif
