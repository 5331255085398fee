/* SPDX-License-Identifier: Apache-2.0
 *
 * Products of a short k, bound by writing C and by how often shared memory answers: the design spares both.
 *
 *   panels    both operands of a tile lie in shared memory with their whole k (PANEL at a time, where k is longer), so one barrier is
 *             enough: p[l][r], rows of ROWS.  A k-contiguous operand is turned on the way: lanes beside one another read along its
 *             rows, four steps each, and store four single elements; the rows' quads are exchanged by an exclusive or with l / 4 % 8,
 *             so those lanes want different banks.
 *   lanes     4 down, 8 across, so that the row does not depend on bit 0 of a lane's number and the column not on bit 1: a read of
 *             16 bytes a lane is then answered in 2 passes instead of 4.  The three lowest bits also keep both directions of a tile
 *             free of conflicts when it is stored to shared memory.
 *   banks     the columns' panel has neighbouring elements exchanged: four results that are stored together lie in four neighbouring
 *             registers, and each then in the other bank than the column that it is multiplied with.
 *   C         whole rows by way of shared memory, over the panels, which are done with (sheet.cuh: whole tiles straight); marked to be
 *             evicted first: C is larger than L2 and not read again. */
#ifndef WW_KERNELS_GEMM_PANEL_H
#define WW_KERNELS_GEMM_PANEL_H

#include "tile.h"

enum { PANEL = 32 /* of k */, PAD = 4 };

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

/* Row and column of a lane's first square within the block. */
template <typename S> static __device__ __forceinline__ void panel_place(int *row, int *col)
{
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int down = lane >> 1 & 3, across = (lane & 1) | (lane >> 2 ^ lane >> 3) % 2 * 2 | lane >> 4 << 2;
    *row     = warp / (S::BN / S::WN) * S::WM + down * 4;
    *col     = warp % (S::BN / S::WN) * S::WN + across * 4;
}

/* One operand: element (r, l) of `rows` by k at p[r * row + l * col]. */
template <typename T> struct Operand {
    const T           *p;
    unsigned long long row, col;
    int                rows;
    bool               vector; /* aligned to 16 bytes */
};

/* Four elements, of which `have` exist; the others are zero.  No branch, so that several of them are under way at once. */
template <typename T> static __device__ __forceinline__ typename Four<T>::type quad_load(const T *p, int have)
{
    typename Four<T>::type q = {have > 0 ? p[0] : T(0), have > 1 ? p[1] : T(0), have > 2 ? p[2] : T(0), have > 3 ? p[3] : T(0)};
    return q;
}

/* By how much quad l / 4 of a row's steps moves along k: rows of up to 8 quads lie beside one another in a warp, as many of them as 32
 * lanes have room for. */
static __device__ __forceinline__ int panel_shift(int k)
{
    return k > 16 ? 2 : k > 8 ? 3 : k > 4 ? 4 : 5;
}

/* to[l * ROWS + at] = element (first + r, k0 + l) for l < k, rounded up to 4; zero outside.  at: r, with SWAP r ^ 1, along k with the
 * exclusive or of l / 4 << panel_shift(k).  DEEP: so many loads are under way at once; 0: something is outside or not aligned. */
template <typename T, int ROWS, int THREADS, bool KC, bool SWAP, int DEEP>
static __device__ __forceinline__ void panel_fill(const Operand<T> &o, int first, int k0, int k, T *to)
{
    typedef typename Four<T>::type V;
    const T *p    = o.p + first * o.row + k0 * o.col;
    int      left = o.rows - first, deep = (k + 3) / 4;
    enum { AT_ONCE = DEEP ? DEEP : 4 };
    if (KC) {
        int                shift = panel_shift(k), bits = 5 - shift, c = threadIdx.x & (1 << bits) - 1, r = threadIdx.x >> bits;
        unsigned long long step  = o.row * (THREADS >> bits);
        p += r * o.row + 4 * c;
        to += 4 * c * ROWS;
        if (c < deep)
#pragma unroll AT_ONCE
            for (; r < ROWS; r += THREADS >> bits, p += step) {
                V  q  = DEEP ? *(const V *)p : quad_load(p, r < left ? k - 4 * c : 0);
                T *at = to + ((SWAP ? r ^ 1 : r) ^ c << shift);
                at[0]        = q.x;
                at[ROWS]     = q.y;
                at[2 * ROWS] = q.z;
                at[3 * ROWS] = q.w;
            }
    } else {
        enum { Q = ROWS / 4 };
        int                r = threadIdx.x % Q * 4, l = threadIdx.x / Q;
        unsigned long long step = o.col * (THREADS / Q);
        unsigned           at = shared_address(to + l * ROWS + r);
        p += l * o.col + r;
#pragma unroll AT_ONCE
        for (; l < deep * 4; l += THREADS / Q, p += step, at += THREADS * 16) {
            V q = DEEP ? *(const V *)p : quad_load(p, l < k ? left - r : 0);
            V s = {q.y, q.x, q.w, q.z};
            shared_store(at, SWAP ? s : q);
        }
    }
}

template <typename T, int ROWS, int THREADS, bool KC, bool SWAP, int DEEP>
static __device__ __forceinline__ void panel_load(const Operand<T> &o, int first, int k0, int k, T *to)
{
    if (o.vector && first + ROWS <= o.rows && k % 4 == 0)
        panel_fill<T, ROWS, THREADS, KC, SWAP, DEEP>(o, first, k0, k, to);
    else
        panel_fill<T, ROWS, THREADS, KC, SWAP, 0>(o, first, k0, k, to);
}

/* Both panels from step k0 of k; how many steps they have, rounded up to 4. */
template <typename S, bool XKC, bool YKC, int DEEP>
static __device__ __forceinline__ int panels_load(const Operand<typename S::type> &x, const Operand<typename S::type> &y, int row0, int col0,
                                                  int k0, int k, typename S::type *memory)
{
    int steps = k - k0 < PANEL ? k - k0 : PANEL, deep = (steps + 3) & -4;
    panel_load<typename S::type, S::BM, S::THREADS, XKC, false, DEEP>(x, row0, k0, steps, memory);
    panel_load<typename S::type, S::BN, S::THREADS, YKC, true, DEEP>(y, col0, k0, steps, memory + deep * S::BM);
    return deep;
}

/* acc += four steps of the panels; moved: by how much quads along k have. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void panel_multiply(const typename S::type *xs, const typename S::type *ys, int row, int col, int moved,
                                                      typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        T a[S::TM], b[S::TN];
#pragma unroll
        for (int i = 0; i < S::TM; i += 4) {
            V q      = *(const V *)(xs + e * S::BM + ((row + i / 4 * S::DOWN) ^ (XKC ? moved : 0)));
            a[i]     = q.x;
            a[i + 1] = q.y;
            a[i + 2] = q.z;
            a[i + 3] = q.w;
        }
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            V q      = *(const V *)(ys + e * S::BN + ((col + j / 4 * S::ACROSS) ^ (YKC ? moved : 0)));
            b[j + 1] = q.x;
            b[j]     = q.y;
            b[j + 3] = q.z;
            b[j + 2] = q.w;
        }
#pragma unroll
        for (int i = 0; i < S::TM; i++)
#pragma unroll
            for (int q = 0; q < S::TN; q++) {
                int j     = i % 2 ? S::TN - 1 - q : q;
                acc[i][j] = mul_add(a[i], b[j], acc[i][j]);
            }
    }
}

/* acc = the product of the tile at (row0, col0); (row, col): this lane's place.  Ends with all warps past the panels.  While the first
 * panels are on their way the sums need no registers yet. */
template <typename S, bool XKC, bool YKC>
static __device__ __forceinline__ void panel_product(const Operand<typename S::type> &x, const Operand<typename S::type> &y, int row0, int col0,
                                                     int k, typename S::type *memory, int row, int col, typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    int deep = k > PANEL / 2 ? panels_load<S, XKC, YKC, 8>(x, y, row0, col0, 0, k, memory)
                             : panels_load<S, XKC, YKC, 4>(x, y, row0, col0, 0, k, memory);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    for (int k0 = PANEL;; k0 += PANEL) {
        int shift = panel_shift(deep);
        T  *xs = memory, *ys = memory + deep * S::BM;
#pragma unroll 1
        for (int l = 0; l < deep; l += 4, xs += 4 * S::BM, ys += 4 * S::BN)
            panel_multiply<S, XKC, YKC>(xs, ys, row, col, l / 4 << shift, acc);
        __syncthreads();
        if (k0 >= k)
            break;
        deep = panels_load<S, XKC, YKC, 1>(x, y, row0, col0, k0, k, memory);
        __syncthreads();
    }
}

/* Most often alpha is 1; and where both paths meet, the sums stay in the registers in which they were added up (see banks). */
template <typename S> static __device__ __forceinline__ void panel_scale(typename S::type alpha, typename S::type acc[S::TM][S::TN])
{
    if (alpha == typename S::type(1))
        return;
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = alpha * acc[i][j];
}

/* ---- a tile in shared memory, with TURN turned over; rows of its width + PAD ---- */

template <typename S, bool TURN>
static __device__ __forceinline__ void stage_put(typename S::type *tile, int row, int col, const typename S::type acc[S::TM][S::TN])
{
    typedef typename Four<typename S::type>::type V;
#pragma unroll
    for (int i = 0; i < S::TM; i += 4)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4)
#pragma unroll
            for (int e = 0; e < 4; e++) {
                int r = row + i / 4 * S::DOWN, at = col + j / 4 * S::ACROSS;
                V   along = {acc[i + e][j], acc[i + e][j + 1], acc[i + e][j + 2], acc[i + e][j + 3]};
                V   down  = {acc[i][j + e], acc[i + 1][j + e], acc[i + 2][j + e], acc[i + 3][j + e]};
                shared_store(shared_address(TURN ? tile + (at + e) * (S::BM + PAD) + r : tile + (r + e) * (S::BN + PAD) + at),
                             TURN ? down : along);
            }
}

/* `rows` rows of `cols` elements to c; below: only elements up to the diagonal; above: from there on. */
template <typename T, int HEIGHT, int WIDTH, int THREADS>
static __device__ __forceinline__ void stage_write(const GemmArgs &g, T *c, const T *tile, int rows, int cols, bool below, bool above)
{
    typedef typename Four<T>::type V;
    enum { PITCH = WIDTH + PAD, Q = WIDTH / 4, STEP = THREADS / Q };
    if ((g.vector & 4) && rows == HEIGHT && cols == WIDTH && !below && !above) {
        int                r = threadIdx.x / Q, at = threadIdx.x % Q * 4;
        const T           *from = tile + r * PITCH + at;
        V                 *to = (V *)(c + r * g.ldc + at);
        unsigned long long step = g.ldc * STEP / 4;
#pragma unroll
        for (int i = 0; i < HEIGHT; i += STEP, to += step) {
            V quad;
            shared_load(shared_address(from + i * PITCH), &quad); /* else nvcc parts some of these reads, and not in each run the same */
            store_once(to, quad);
        }
    } else {
#pragma unroll 4
        for (int v = threadIdx.x; v < rows * WIDTH; v += THREADS) {
            int r = v / WIDTH, at = v % WIDTH;
            if (at < cols && !(below && at > r) && !(above && at < r))
                c[r * g.ldc + at] = tile[r * PITCH + at];
        }
    }
}

/* Element v of a tile: a warp has 8 columns of 4 rows, in each row 4 further on, so no two of its elements share a bank, nor those
 * across the diagonal from them. */
template <int WIDTH> static __device__ __forceinline__ void stage_place(int v, int *r, int *at)
{
    int down = v / 8 % 4;
    *r       = v / (4 * WIDTH) * 4 + down;
    *at      = (v / 32 * 8 + down * 4 + v % 8) % WIDTH;
}

/* tile += beta * c.  SYMMETRIC: elements above the diagonal (`above`: below it) are not read and become those of the other half. */
template <typename T, int WIDTH, int THREADS>
static __device__ __forceinline__ void stage_keep(const GemmArgs &g, const T *c, T *tile, int rows, int cols, bool symmetric, bool above)
{
    enum { PITCH = WIDTH + PAD };
    T beta = Four<T>::from(g.beta);
#pragma unroll 4
    for (int v = threadIdx.x; v < ((rows + 3) & -4) * WIDTH; v += THREADS) {
        int r, at;
        stage_place<WIDTH>(v, &r, &at);
        if (r < rows && at < cols && !(symmetric && (above ? at < r : at > r))) {
            T sum = mul_add(beta, c[r * g.ldc + at], tile[r * PITCH + at]);
            tile[r * PITCH + at] = sum;
            if (symmetric)
                tile[at * PITCH + r] = sum;
        }
    }
}

/* A square tile turned over in place. */
template <typename T, int SIDE, int THREADS> static __device__ __forceinline__ void stage_turn(T *tile)
{
    enum { PITCH = SIDE + PAD };
#pragma unroll 4
    for (int v = threadIdx.x; v < SIDE * SIDE; v += THREADS) {
        int r, at;
        stage_place<SIDE>(v, &r, &at);
        if (r < at) {
            T upper = tile[r * PITCH + at];
            tile[r * PITCH + at] = tile[at * PITCH + r];
            tile[at * PITCH + r] = upper;
        }
    }
}

#endif
