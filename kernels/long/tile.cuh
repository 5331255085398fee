/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * Y + beta * C and C = alpha * X * X^T + beta * C with 64-bit results: of int32 operands modulo 2^64, and of doubles.
 *
 *   blocks      64 x 64 results by 64 threads; rows ty + 8 i, columns tx + 8 j, so that eight lanes write 64 bytes of a row together,
 *               and four 32 bytes of the mirrored column.  A thread keeps 8 x 8 results, 128 registers.
 *   shared      slices of 8 along k, rows of 68 elements: a k-contiguous slice is stored transposed, and its 8 x 4 words of a warp lie in 32
 *               banks.  The next slice is read into registers while this one is multiplied.
 *
 * Elements outside the matrices are stored as zero; every thread reaches every barrier. */
#ifndef WW_KERNELS_LONG_TILE_CUH
#define WW_KERNELS_LONG_TILE_CUH

#include "../aat/symmetric.h"
#include "args.h"

typedef unsigned long long Wide;

enum { SIDE = 64, BK = 8, EACH = 8, LANES = SIDE / EACH, THREADS = LANES * LANES, PITCH = SIDE + 4 };

/* SIDE x BK of an operand of elements T, on its way: element n of a thread. */
template <typename T> struct Part {
    T v[SIDE * BK / THREADS];

    static __device__ __forceinline__ void place(int n, bool along, int *i, int *l)
    {
        int e = threadIdx.x + n * THREADS;
        *i    = along ? e % SIDE : e / BK;
        *l    = along ? e / SIDE : e % BK;
    }

    /* p[(i0 + i) * is + (l0 + l) * ls], zero outside; lanes along the direction of stride 1. */
    __device__ __forceinline__ void load(const T *p, int i0, int rows, Wide is, int l0, int k, Wide ls)
    {
#pragma unroll
        for (int n = 0; n < SIDE * BK / THREADS; n++) {
            int i, l;
            place(n, is == 1, &i, &l);
            v[n] = i0 + i < rows && l0 + l < k ? p[(i0 + i) * is + (l0 + l) * ls] : T(0);
        }
    }

    __device__ __forceinline__ void store(T *s, bool along) const
    {
#pragma unroll
        for (int n = 0; n < SIDE * BK / THREADS; n++) {
            int i, l;
            place(n, along, &i, &l);
            s[l * PITCH + i] = v[n];
        }
    }
};

static __device__ __forceinline__ Wide add_product(int a, int b, Wide sum)
{
    return sum + (Wide)((long long)a * b);
}

static __device__ __forceinline__ double add_product(double a, double b, double sum)
{
    return __builtin_fma(a, b, sum);
}

/* beta * was + v */
static __device__ __forceinline__ Wide add_old(Wide beta, Wide was, Wide v)
{
    return beta * was + v;
}

static __device__ __forceinline__ double add_old(double beta, double was, double v)
{
    return __builtin_fma(beta, was, v);
}

template <typename T, typename W>
static __device__ __forceinline__ void multiply(const T *xs, const T *ys, int tx, int ty, W (&sum)[EACH][EACH])
{
#pragma unroll
    for (int l = 0; l < BK; l++) {
        T a[EACH], b[EACH];
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            a[i] = xs[l * PITCH + ty + i * LANES];
            b[i] = ys[l * PITCH + tx + i * LANES];
        }
#pragma unroll
        for (int i = 0; i < EACH; i++)
#pragma unroll
            for (int j = 0; j < EACH; j++)
                sum[i][j] = add_product(a[i], b[j], sum[i][j]);
    }
}

template <typename T, typename W>
static __device__ __forceinline__ void product(const GemmArgs &g, int row0, int col0, int tx, int ty, W (&sum)[EACH][EACH])
{
    __shared__ T xs[BK * PITCH], ys[BK * PITCH];
    Wide           z = blockIdx.z;
    const T       *x = (const T *)g.x + z * g.x_batch, *y = (const T *)g.y + z * g.y_batch;
    Part<T>        xp, yp;
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

/* alpha and beta, and whether C is read. */
template <typename W> struct Factors {
    W    alpha, beta;
    bool keep;
    __device__ __forceinline__ Factors(const LongArgs &a)
    {
        alpha = __builtin_bit_cast(W, a.alpha);
        beta  = __builtin_bit_cast(W, a.beta);
        keep  = beta != W(0);
    }
};

/* Tiles in groups of 16 rows, down a group's columns, for the sake of L2. */
template <typename T, typename W> static __device__ __forceinline__ void long_gemm(const LongArgs &a)
{
    const GemmArgs &g = a.g;
    int             tm, tn, tx = threadIdx.x % LANES, ty = threadIdx.x / LANES;
    W               sum[EACH][EACH], *c = (W *)g.c + blockIdx.z * g.c_batch;
    Factors<W>      f(a);
    tile_order(blockIdx.x, (g.m + SIDE - 1) / SIDE, (g.n + SIDE - 1) / SIDE, &tm, &tn);
    product<T>(g, tm * SIDE, tn * SIDE, tx, ty, sum);
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int   row = tm * SIDE + ty + i * LANES, col = tn * SIDE + tx + j * LANES;
            W    *to = c + row * g.ldc + col;
            if (row < g.m && col < g.n)
                *to = f.keep ? add_old(f.beta, *to, f.alpha * sum[i][j]) : f.alpha * sum[i][j];
        }
}

/* Tiles on and under the diagonal; an element with row >= column is written to both places that the fill asks for. */
template <typename T, typename W> static __device__ __forceinline__ void long_aat(const LongArgs &a)
{
    const GemmArgs &g = a.g;
    int             tm, tn, tx = threadIdx.x % LANES, ty = threadIdx.x / LANES;
    W               sum[EACH][EACH], *c = (W *)g.c + blockIdx.z * g.c_batch;
    Factors<W>      f(a);
    bool            upper = g.fill >= GEMM_FILL_UPPER;
    triangle_place(blockIdx.x, &tm, &tn);
    product<T>(g, tm * SIDE, tn * SIDE, tx, ty, sum);
#pragma unroll
    for (int i = 0; i < EACH; i++)
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            int   row = tm * SIDE + ty + i * LANES, col = tn * SIDE + tx + j * LANES;
            W    *low = c + row * g.ldc + col, *high = c + col * g.ldc + row;
            if (row >= g.m || col > row)
                continue;
            W v = f.alpha * sum[i][j];
            if (f.keep)
                v = add_old(f.beta, *(upper ? high : low), v);
            if (g.fill != GEMM_FILL_UPPER)
                *low = v;
            if (g.fill != GEMM_FILL_LOWER)
                *high = v;
        }
}

#endif
