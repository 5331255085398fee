/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C and C = alpha * X * X^T + beta * C with int32 operands and a 64-bit result, modulo 2^64.
 *
 * Change      results of 64 bits: a thread keeps 8 x 8 of them, 128 registers, and a multiplication is one mad.wide.
 * Blocks      64 x 64 results by 64 threads; rows ty + 8 i, columns tx + 8 j, so that eight lanes write 64 bytes of a row together,
 *             and four 32 bytes of the mirrored column.
 * Shared      slices of 8 along k, rows of 68 words: a k-contiguous slice is stored transposed, and its 8 x 4 words of a warp lie in 32
 *             banks.  The next slice is read into registers while this one is multiplied.
 * Bottleneck  the wide multiplication, a fraction of the 32-bit one's rate.
 * Measured    docs/kernels.md.
 *
 * Elements outside the matrices are stored as zero; every thread reaches every barrier. */
#include "../aat/symmetric.h"
#include "args.h"

typedef unsigned long long Wide;

enum { SIDE = 64, BK = 8, EACH = 8, LANES = SIDE / EACH, THREADS = LANES * LANES, PITCH = SIDE + 4 };

/* SIDE x BK of an operand, on its way: element n of a thread. */
struct Part {
    int v[SIDE * BK / THREADS];

    static __device__ __forceinline__ void place(int n, bool along, int *i, int *l)
    {
        int e = threadIdx.x + n * THREADS;
        *i    = along ? e % SIDE : e / BK;
        *l    = along ? e / SIDE : e % BK;
    }

    /* p[(i0 + i) * is + (l0 + l) * ls], zero outside; lanes along the direction of stride 1. */
    __device__ __forceinline__ void load(const int *p, int i0, int rows, Wide is, int l0, int k, Wide ls)
    {
#pragma unroll
        for (int n = 0; n < SIDE * BK / THREADS; n++) {
            int i, l;
            place(n, is == 1, &i, &l);
            v[n] = i0 + i < rows && l0 + l < k ? p[(i0 + i) * is + (l0 + l) * ls] : 0;
        }
    }

    __device__ __forceinline__ void store(int *s, bool along) const
    {
#pragma unroll
        for (int n = 0; n < SIDE * BK / THREADS; n++) {
            int i, l;
            place(n, along, &i, &l);
            s[l * PITCH + i] = v[n];
        }
    }
};

static __device__ __forceinline__ void multiply(const int *xs, const int *ys, int tx, int ty, Wide (&sum)[EACH][EACH])
{
#pragma unroll
    for (int l = 0; l < BK; l++) {
        int a[EACH], b[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            a[i] = xs[l * PITCH + ty + i * LANES];
            b[i] = ys[l * PITCH + tx + i * LANES];
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++)
                sum[i][j] += (Wide)((long long)a[i] * b[j]);
    }
}

static __device__ __forceinline__ void product(const GemmArgs &g, int row0, int col0, int tx, int ty, Wide (&sum)[EACH][EACH])
{
    __shared__ int xs[BK * PITCH], ys[BK * PITCH];
    Wide           z = blockIdx.z;
    const int     *x = (const int *)g.x + z * g.x_batch, *y = (const int *)g.y + z * g.y_batch;
    Part           xp, yp;
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++)
            sum[i][j] = 0;
    xp.load(x, row0, g.m, g.x_row, 0, g.k, g.x_col);
    yp.load(y, col0, g.n, g.y_col, 0, g.k, g.y_row);
    for (int l0 = 0; l0 < g.k; l0 += BK) {
        xp.store(xs, g.x_row == 1);
        yp.store(ys, g.y_col == 1);
        __syncthreads();
        xp.load(x, row0, g.m, g.x_row, l0 + BK, g.k, g.x_col);
        yp.load(y, col0, g.n, g.y_col, l0 + BK, g.k, g.y_row);
        multiply(xs, ys, tx, ty, sum);
        __syncthreads();
    }
}

/* Tiles in groups of 16 rows, down a group's columns, for the sake of L2. */
extern "C" __global__ void __launch_bounds__(THREADS) gemm_long_i64(const LongArgs a)
{
    const GemmArgs &g = a.g;
    int             tm, tn, tx = threadIdx.x % LANES, ty = threadIdx.x / LANES;
    Wide            sum[EACH][EACH], *c = (Wide *)g.c + blockIdx.z * g.c_batch;
    tile_order(blockIdx.x, (g.m + SIDE - 1) / SIDE, (g.n + SIDE - 1) / SIDE, &tm, &tn);
    product(g, tm * SIDE, tn * SIDE, tx, ty, sum);
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int   row = tm * SIDE + ty + i * LANES, col = tn * SIDE + tx + j * LANES;
            Wide *to = c + row * g.ldc + col;
            if (row < g.m && col < g.n)
                *to = a.alpha * sum[i][j] + (a.beta ? a.beta * *to : 0);
        }
}

/* Tiles on and under the diagonal; an element with row >= column is written to both places that the fill asks for. */
extern "C" __global__ void __launch_bounds__(THREADS) aat_long_i64(const LongArgs a)
{
    const GemmArgs &g = a.g;
    int             tm, tn, tx = threadIdx.x % LANES, ty = threadIdx.x / LANES;
    Wide            sum[EACH][EACH], *c = (Wide *)g.c + blockIdx.z * g.c_batch;
    bool            upper = g.fill >= GEMM_FILL_UPPER;
    triangle_place(blockIdx.x, &tm, &tn);
    product(g, tm * SIDE, tn * SIDE, tx, ty, sum);
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int   row = tm * SIDE + ty + i * LANES, col = tn * SIDE + tx + j * LANES;
            Wide *low = c + row * g.ldc + col, *high = c + col * g.ldc + row;
            if (row >= g.m || col > row)
                continue;
            Wide v = a.alpha * sum[i][j] + (a.beta ? a.beta * *(upper ? high : low) : 0);
            if (g.fill != GEMM_FILL_UPPER)
                *low = v;
            if (g.fill != GEMM_FILL_LOWER)
                *high = v;
        }
}
