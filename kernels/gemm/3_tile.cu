/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C through 32 x 32 tiles in shared memory.
 *
 * Change      a block reads each element of its rows of X and columns of Y once for 32 multiplications.  The element
 *             along the contiguous direction goes to the lanes, so reads are coalesced in every layout; rows are
 *             padded to 33 words, so both directions of storing are free of conflicts.
 * Bottleneck  shared memory: two loads for every multiplication, though cheaper ones.
 * Measured    docs/kernels.md.
 *
 * Elements outside the matrices are stored as zero; every thread reaches every barrier. */
#include "element.h"

enum { TILE = 32 };

/* s[u][v] = p[(u0 + u) * us + (v0 + v) * vs], zero at or past nu, nv; lanes along the direction of stride 1. */
template <typename T>
static __device__ __forceinline__ void stage(T s[TILE][TILE + 1], const T *p, int u0, int nu, unsigned long long us, int v0,
                                             int nv, unsigned long long vs)
{
    for (int i = threadIdx.x; i < TILE * TILE; i += 256) {
        int u = us == 1 ? i % TILE : i / TILE;
        int v = us == 1 ? i / TILE : i % TILE;
        s[u][v] = u0 + u < nu && v0 + v < nv ? p[(u0 + u) * us + (v0 + v) * vs] : T(0);
    }
}

template <typename T> static __device__ __forceinline__ void product(const GemmArgs &g)
{
    __shared__ T       xs[TILE][TILE + 1], ys[TILE][TILE + 1];
    unsigned long long z    = blockIdx.z;
    int                row0 = blockIdx.x * TILE, col0 = blockIdx.y * TILE;
    int                tx = threadIdx.x % TILE, ty = threadIdx.x / TILE;
    const T           *x = (const T *)g.x + z * g.x_batch, *y = (const T *)g.y + z * g.y_batch;
    T                  sum[4] = {T(0), T(0), T(0), T(0)};
    for (int l0 = 0; l0 < g.k; l0 += TILE) {
        stage(xs, x, row0, g.m, g.x_row, l0, g.k, g.x_col);
        stage(ys, y, l0, g.k, g.y_row, col0, g.n, g.y_col);
        __syncthreads();
        for (int l = 0; l < TILE; l++)
#pragma unroll
            for (int i = 0; i < 4; i++)
                sum[i] = mul_add(xs[ty + i * 8][l], ys[l][tx], sum[i]);
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int row = row0 + ty + i * 8, col = col0 + tx;
        if (row < g.m && col < g.n)
            put(g, (T *)g.c + z * g.c_batch + row * g.ldc + col, sum[i]);
    }
}

BOTH_TYPES(gemm_tile, product, 256)
