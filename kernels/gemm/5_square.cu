/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C, 8 x 8 results to a thread.
 *
 * Change      a thread keeps 8 x 8 results: 16 loads for 64 multiplications.
 * Bottleneck  the loads' instructions and their latency: nothing is read ahead, and a block waits at two barriers for
 *             every 8 steps of k.
 * Measured    docs/kernels.md.
 *
 * Elements outside the matrices are stored as zero; every thread reaches every barrier. */
#include "element.h"

enum { BM = 128, BN = 128, BK = 8, TM = 8, TN = 8, THREADS = BM / TM * (BN / TN), XP = BM + 4 };

/* s[l * PITCH + i] = p[(i0 + i) * is + (l0 + l) * ls], zero outside; lanes along the direction of stride 1. */
template <typename T, int ROWS, int PITCH>
static __device__ __forceinline__ void stage(T *s, const T *p, int i0, int ni, unsigned long long is, int l0, int nl,
                                             unsigned long long ls)
{
    for (int e = threadIdx.x; e < ROWS * BK; e += THREADS) {
        int i = is == 1 ? e % ROWS : e / BK;
        int l = is == 1 ? e / ROWS : e % BK;
        s[l * PITCH + i] = i0 + i < ni && l0 + l < nl ? p[(i0 + i) * is + (l0 + l) * ls] : T(0);
    }
}

template <typename T> static __device__ __forceinline__ void product(const GemmArgs &g)
{
    __shared__ T       xs[BK * XP], ys[BK * XP];
    unsigned long long z    = blockIdx.z;
    int                row0 = blockIdx.x * BM, col0 = blockIdx.y * BN;
    int                tx = threadIdx.x % (BN / TN), ty = threadIdx.x / (BN / TN);
    const T           *x = (const T *)g.x + z * g.x_batch, *y = (const T *)g.y + z * g.y_batch;
    T                  sum[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++)
            sum[i][j] = T(0);
    for (int l0 = 0; l0 < g.k; l0 += BK) {
        stage<T, BM, XP>(xs, x, row0, g.m, g.x_row, l0, g.k, g.x_col);
        stage<T, BN, XP>(ys, y, col0, g.n, g.y_col, l0, g.k, g.y_row);
        __syncthreads();
#pragma unroll
        for (int l = 0; l < BK; l++) {
            T a[TM], b[TN];
#pragma unroll
            for (int i = 0; i < TM; i++)
                a[i] = xs[l * XP + ty * TM + i];
#pragma unroll
            for (int j = 0; j < TN; j++)
                b[j] = ys[l * XP + tx + j * (BN / TN)];
#pragma unroll
            for (int i = 0; i < TM; i++)
#pragma unroll
                for (int j = 0; j < TN; j++)
                    sum[i][j] = mul_add(a[i], b[j], sum[i][j]);
        }
        __syncthreads();
    }
#pragma unroll
    for (int i = 0; i < TM; i++)
#pragma unroll
        for (int j = 0; j < TN; j++) {
            int row = row0 + ty * TM + i, col = col0 + tx + j * (BN / TN);
            if (row < g.m && col < g.n)
                put(g, (T *)g.c + z * g.c_batch + row * g.ldc + col, sum[i][j]);
        }
}

BOTH_TYPES(gemm_square, product, THREADS)
