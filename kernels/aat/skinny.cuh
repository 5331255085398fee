/* SPDX-License-Identifier: Apache-2.0
 *
 * C = alpha * X * X^T + beta * C for an X of few columns: 4 m^2 bytes are written for m^2 k operations, so all of the design
 * serves the stores.
 *
 *   panels    both operands of a tile lie in shared memory with their whole k (PANEL at a time, where k is longer), so one
 *             barrier is enough: p[l][r], rows of SIDE.  A k-contiguous X is turned on the way, in 4 x 4 squares; eight neighbouring lanes take
 *             eight squares below one another with their columns staggered, and store without a bank conflict.
 *   tile      64 x 64, so that many blocks share a multiprocessor: some load and multiply while others store.
 *   stores    each direction of the tile passes through shared memory (over the panels, which are done with) and leaves in
 *             whole rows of 256 bytes, 16 bytes a lane (the exclusive or keeps both sides free of bank conflicts), marked to be evicted first: C is larger than L2 and not read again.
 *
 * Tiles on the diagonal, at the edge, with beta or a triangle to fill go through tile_write_twice (symmetric.h). */
#ifndef WW_KERNELS_AAT_SKINNY_H
#define WW_KERNELS_AAT_SKINNY_H

#include "symmetric.h"

enum { PANEL = 32 }; /* of k */

static __device__ __forceinline__ void store_once(float4 *p, float4 v)
{
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %0; st.global.cs.v4.f32 [g], {%1, %2, %3, %4}; }" ::"l"(p), "f"(v.x), "f"(v.y),
                 "f"(v.z), "f"(v.w)
                 : "memory");
}

static __device__ __forceinline__ void store_once(uint4 *p, uint4 v)
{
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %0; st.global.cs.v4.u32 [g], {%1, %2, %3, %4}; }" ::"l"(p), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
}

/* One 4 x 4 square of a k-contiguous X, turned: columns c to c + 3 of rows r to r + 3, from p = &X(r, c). */
template <typename T, int SIDE> static __device__ __forceinline__ void square_turn(const T *p, unsigned long long ld, T *to)
{
    typedef typename Four<T>::type V;
    V a = *(const V *)p, b = *(const V *)(p + ld), c = *(const V *)(p + 2 * ld), d = *(const V *)(p + 3 * ld);
    V x = {a.x, b.x, c.x, d.x}, y = {a.y, b.y, c.y, d.y}, z = {a.z, b.z, c.z, d.z}, w = {a.w, b.w, c.w, d.w};
    unsigned at = shared_address(to);
    shared_store(at, x);
    shared_store(at + SIDE * 4, y);
    shared_store(at + SIDE * 8, z);
    shared_store(at + SIDE * 12, w);
}

/* to[l * SIDE + r] = X(first + r, l), zero outside of X; l < k, rounded up to 4. */
template <typename T, int SIDE, int THREADS, bool KC>
static __device__ __forceinline__ void panel_load(const GemmArgs &g, const T *x, int first, int k, T *to)
{
    typedef typename Four<T>::type V;
    unsigned long long             ld   = KC ? g.x_row : g.x_col;
    int                            deep = (k + 3) / 4;
    bool                           fast = (g.vector & 1) && first + SIDE <= g.m && k % 4 == 0;
    if (KC && fast) {
#pragma unroll 1
        for (int v = threadIdx.x; v < SIDE / 4 * deep; v += THREADS) {
            int t = v % 8, u = v / 8, c = (t + u) % deep, b = u / deep * 8 + t;
            square_turn<T, SIDE>(x + (first + 4 * b) * ld + 4 * c, ld, to + 4 * c * SIDE + 4 * b);
        }
    } else if (fast) {
        for (int v = threadIdx.x; v < SIDE / 4 * k; v += THREADS)
            shared_store(shared_address((V *)to + v), *(const V *)(x + v / (SIDE / 4) * ld + first + v % (SIDE / 4) * 4));
    } else {
#pragma unroll 1
        for (int v = threadIdx.x; v < SIDE * deep * 4; v += THREADS) {
            int r = first + v % SIDE, l = v / SIDE;
            to[v] = r < g.m && l < k ? x[r * g.x_row + l * g.x_col] : T(0);
        }
    }
}

/* alpha * acc to c, the tile's corner in C; TURN: the tile turned over. */
template <typename S, bool TURN>
static __device__ __forceinline__ void tile_write_rows(const GemmArgs &g, typename S::type *c, typename S::type *tile, int row, int col,
                                                       const typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { W = TURN ? S::BM : S::BN, H = TURN ? S::BN : S::BM, PITCH = W + 4 };
    T alpha = Four<T>::from(g.alpha);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < S::TM; i += 4)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            int r = row + i / 4 * S::DOWN, at = col + j / 4 * S::ACROSS;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                V low  = {alpha * acc[i + e][j], alpha * acc[i + e][j + 1], alpha * acc[i + e][j + 2], alpha * acc[i + e][j + 3]};
                V high = {alpha * acc[i][j + e], alpha * acc[i + 1][j + e], alpha * acc[i + 2][j + e], alpha * acc[i + 3][j + e]};
                if (TURN)
                    shared_store(shared_address(tile + at * PITCH + (r ^ (at & 8))) + e * PITCH * 4, high);
                else
                    shared_store(shared_address(tile + r * PITCH + (at ^ (r & 8))) + e * PITCH * 4, low);
            }
        }
    __syncthreads();
#pragma unroll
    for (int v = 0; v < W * H / 4; v += S::THREADS) {
        int r = (v + threadIdx.x) / (W / 4), at = (v + threadIdx.x) % (W / 4) * 4;
        store_once((V *)(c + r * g.ldc + at), *(const V *)(tile + r * PITCH + (at ^ (r & 8))));
    }
}

template <typename S, bool KC, bool> static __device__ __forceinline__ void tile_skinny(const GemmArgs &g)
{
    typedef typename S::type T;
    __shared__ __align__(16) T memory[S::BM * (S::BN + 4)] /* no less than the panels */;
    T                          acc[S::TM][S::TN];
    int                        tm, tn, row, col;
    const T                   *x = (const T *)g.x + blockIdx.z * g.x_batch;
    T                         *c = (T *)g.c + blockIdx.z * g.c_batch;
    triangle_place(blockIdx.x, &tm, &tn);
    lane_place<S>(&row, &col);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
#pragma unroll 1
    for (int k0 = 0; k0 < g.k; k0 += PANEL) {
        int      k  = g.k - k0 < PANEL ? g.k - k0 : PANEL;
        T       *xs = memory, *ys = memory + PANEL * S::BM;
        const T *p = x + k0 * g.x_col;
        if (k0)
            __syncthreads();
        panel_load<T, S::BM, S::THREADS, KC>(g, p, tm * S::BM, k, xs);
        if (tm == tn)
            ys = xs;
        else
            panel_load<T, S::BN, S::THREADS, KC>(g, p, tn * S::BN, k, ys);
        __syncthreads();
        xs += row;
        ys += col;
        for (int l = 0; l < k; l += 4, xs += 4 * S::BM, ys += 4 * S::BN)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                Fragment<S> f;
                f.read(xs + e * S::BM, ys + e * S::BN);
                multiply<S>(f, acc);
            }
    }
    bool plain = g.fill == GEMM_FILL_FULL && Four<T>::zero(g.beta) && (g.vector & 4);
    if (plain && tm != tn && (tm + 1) * S::BM <= g.m) {
        tile_write_rows<S, false>(g, c + tm * S::BM * g.ldc + tn * S::BN, memory, row, col, acc);
        tile_write_rows<S, true>(g, c + tn * S::BN * g.ldc + tm * S::BM, memory, row, col, acc);
    } else {
        tile_write_twice<S>(g, c, tm * S::BM, tn * S::BN, acc);
    }
}

#endif
