/* SPDX-License-Identifier: Apache-2.0
 *
 * Tile products by tensor copies for tiles of every size: 8 warps a multiprocessor whatever the tile, at nearly one speed.
 *
 *   groups    a tile too small to occupy the warps is computed by GROUPS groups of them at once, each over its own steps of
 *             every slice; their sums meet in shared memory at the end.  The blocks of a cluster share out the slices the
 *             same way, and each adds up its share of the tile's rows, reading the others' shared memory.
 *   parts     where k is long and the tiles are few, a tile has g.parts clusters, each with its part of the slices; they
 *             write their sums one matrix after the other, and gemm_sum (sum.cu) adds those up.
 *   ring      full[b] completes when both boxes of slice b have arrived.  The __syncthreads that says that all warps are
 *             done with a slice stands some steps into the next one, where nobody waits for shared memory any more, and
 *             thread 0 then orders the slice SLOTS further on.  (At the end of the slice it cost 5 %; mbarriers on which
 *             warps come and go at their own pace cost 7 %: the four schedulers then fetch different instructions.)
 *   order     of the multiplications: along a row of results and back along the next.
 *   C         a tile passes through shared memory, each pair of columns swapped: four results that are stored together
 *             lie in four neighbouring registers, and swapped they lie in the other bank than the operand that changes.
 *             It leaves in whole rows, also where the rows of C are not aligned.
 *
 * Sums are added in an order that depends on the shape alone, so every run gives the same bits.
 * Invariants: blockIdx.x is the only index; a cluster's blocks have one tile; all threads reach every barrier. */
#ifndef WW_KERNELS_GEMM_RING_H
#define WW_KERNELS_GEMM_RING_H

#include "boxes.h"
#include "tile.h"

template <typename T, int BM_, int BN_, int BK_, int WM_, int WN_, int TM_, int TN_, int SLOTS_, int GROUPS_> struct RingShape {
    typedef T type;
    enum {
        BM = BM_, BN = BN_, BK = BK_, WM = WM_, WN = WN_, TM = TM_, TN = TN_, SLOTS = SLOTS_, GROUPS = GROUPS_,
        WARPS = BM / WM * (BN / WN), THREADS = WARPS * GROUPS * 32, /* warps of a group; threads of all */
        ROWS4 = TM / 4, COLS4 = TN / 4, DOWN = WM / ROWS4, ACROSS = WN / COLS4,
        STEPS = BK / GROUPS, /* of a slice, to a group */
        XW = BK * BM, SLOT = XW + BK * BN, PITCH = BN + 4, TILE = BM * PITCH, /* words */
    };
};

/* The lanes of this file's shapes are spread; others that use its functions say nothing and are not. */
template <typename S> struct RingSpread {
    enum { ON = 0 };
};
template <typename T, int BM, int BN, int BK, int TM, int TN, int SLOTS, int GROUPS>
struct RingSpread<RingShape<T, BM, BN, BK, 64, 64, TM, TN, SLOTS, GROUPS> > {
    enum { ON = 1 };
};

struct RingPlace {
    int row, col, group;
};

template <typename S> static __device__ __forceinline__ RingPlace ring_place(void)
{
    enum { LANES_M = S::WM / S::TM, WIDE = S::BN / S::WN };
    int       lane = threadIdx.x % 32, warp = threadIdx.x / 32, w = warp % S::WARPS;
    int       row  = RingSpread<S>::ON ? lane_spread_row(lane) : lane / 2 % LANES_M;
    int       col  = RingSpread<S>::ON ? lane_spread_column(lane) : lane % 2 + lane / (2 * LANES_M) * 2;
    RingPlace p    = {w / WIDE * S::WM + row * 4, w % WIDE * S::WN + col * 4, warp / S::WARPS};
    return p;
}

/* The slices [from, from + count) of the tile at (row0, col0). */
template <typename S> struct RingFeed {
    typedef typename S::type T;
    const TensorArgs        &a;
    T                       *slots;
    unsigned                 full;
    int                      row0, col0, from, count;

    /* One thread. */
    __device__ __forceinline__ void order(int s, int slot) const
    {
        T       *to  = slots + slot * S::SLOT;
        unsigned bar = full + slot * 8;
        bar_expect(bar, S::SLOT * sizeof(T));
        box_copy(shared_address(to), &a.x, row0, (from + s) * S::BK, bar);
        box_copy(shared_address(to + S::XW), &a.y, col0, (from + s) * S::BK, bar);
    }
};

template <typename S>
static __device__ __forceinline__ void ring_multiply(const Fragment<S> &f, typename S::type acc[S::TM][S::TN])
{
#pragma unroll
    for (int e = 0; e < S::TM * S::TN; e++) {
        int i = e / S::TN, j = i % 2 ? S::TN - 1 - e % S::TN : e % S::TN;
        acc[i][j] = mul_add(f.x[i], f.y[j], acc[i][j]);
    }
}

/* acc = this group's part of the product.  Ends with every warp done with the slots. */
template <typename S>
static __device__ __forceinline__ void ring_product(const RingFeed<S> &feed, const RingPlace &p, typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum { RELEASE = 3 }; /* the step at which the slice before is given up */
    int count = feed.count;
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    if (count <= 0)
        return;
    if (threadIdx.x == 0)
        for (int s = 0; s < S::SLOTS && s < count; s++)
            feed.order(s, s);
    Fragment<S> f[2];
    const T    *base = feed.slots + p.group * S::STEPS * S::BM + p.row, *xs = base;
    int         over = S::XW + p.group * S::STEPS * (S::BN - S::BM) + p.col - p.row;
    unsigned    slot = 0, phase = 0;
    bar_wait(feed.full, 0);
    f[0].read(xs, xs + over);
    for (int s = 0; s < count; s++) {
        const T *ys = xs + over;
#pragma unroll
        for (int l = 0; l < S::STEPS; l++) {
            if (l + 1 < S::STEPS) {
                f[(l + 1) % 2].read(xs + (l + 1) * S::BM, ys + (l + 1) * S::BN);
            } else {
                slot = slot + 1 == S::SLOTS ? 0 : slot + 1;
                phase ^= slot == 0;
                if (s + 1 < count) {
                    bar_wait(feed.full + slot * 8, phase);
                    xs = base + slot * S::SLOT;
                    f[0].read(xs, xs + over);
                }
            }
            if (l == RELEASE && s > 0) {
                __syncthreads();
                if (threadIdx.x == 0 && s - 1 + S::SLOTS < count)
                    feed.order(s - 1 + S::SLOTS, slot == 0 ? S::SLOTS - 1 : slot - 1);
            }
            ring_multiply<S>(f[l % 2], acc);
        }
    }
    __syncthreads();
}

/* Where an element of a staged tile lies.  Eight neighbouring lanes store to two or four rows 4 apart: the pitch puts every other one
 * on the other half of the banks; spread lanes on the same half differ in their columns, others are set apart by the exclusive or with
 * bit 3 of the row. */
template <typename S> static __device__ __forceinline__ int ring_at(int row, int col)
{
    return row * S::PITCH + (RingSpread<S>::ON ? col : col ^ (row & 8));
}

template <typename S>
static __device__ __forceinline__ void ring_stage(typename S::type *tile, const RingPlace &p, const typename S::type acc[S::TM][S::TN])
{
    typedef typename Four<typename S::type>::type V;
    unsigned to = shared_address(tile + p.group * S::TILE + ring_at<S>(p.row, p.col));
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j += 4) {
            V v = {acc[i][j + 1], acc[i][j], acc[i][j + 3], acc[i][j + 2]};
            shared_store(to + ((i / 4 * S::DOWN + i % 4) * S::PITCH + j / 4 * S::ACROSS) * (unsigned)sizeof(V) / 4, v);
        }
}

/* ---- clusters ---------------------------------------------------------------------------------------------------- */

static __device__ __forceinline__ unsigned cluster_size(void)
{
    unsigned n;
    asm("mov.u32 %0, %%cluster_nctaid.x;" : "=r"(n));
    return n;
}

static __device__ __forceinline__ unsigned cluster_rank(void)
{
    unsigned n;
    asm("mov.u32 %0, %%cluster_ctaid.x;" : "=r"(n));
    return n;
}

static __device__ __forceinline__ void cluster_barrier(void)
{
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Four words at shared address a of another block. */
static __device__ __forceinline__ uint4 cluster_load(unsigned a, unsigned rank)
{
    uint4 v;
    asm volatile("{ .reg .u32 o; mapa.shared::cluster.u32 o, %4, %5; ld.shared::cluster.v4.u32 {%0, %1, %2, %3}, [o]; }"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(a), "r"(rank)
                 : "memory");
    return v;
}

/* The rows [r0, r1) of the tile become the sums over all groups and all blocks of the cluster. */
template <typename S>
static __device__ __forceinline__ void ring_sum(typename S::type *tile, int r0, int r1, unsigned rank, unsigned blocks)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4 };
    for (int v = r0 * Q + threadIdx.x; v < r1 * Q; v += S::THREADS) {
        T *at  = tile + ring_at<S>(v / Q, v % Q * 4);
        V  sum = *(V *)at;
#pragma unroll
        for (int e = 1; e < S::GROUPS; e++)
            add_four<T>(&sum, *(const uint4 *)(at + e * S::TILE));
        for (unsigned b = 1; b < blocks; b++)
#pragma unroll
            for (int e = 0; e < S::GROUPS; e++)
                add_four<T>(&sum, cluster_load(shared_address(at + e * S::TILE), (rank + b) % blocks));
        *(V *)at = sum;
    }
}

/* C = alpha * tile + beta * C for the tile's rows [r0, r1). */
template <typename S>
static __device__ __forceinline__ void ring_write(const GemmArgs &g, const typename S::type *tile, int part, int row0, int col0, int r0,
                                                  int r1)
{
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum { Q = S::BN / 4 };
    T    alpha = Four<T>::from(g.alpha), beta = Four<T>::from(g.beta);
    bool keep = !Four<T>::zero(g.beta);
    T   *c    = (T *)g.c + part * g.c_batch + (unsigned long long)row0 * g.ldc + col0;
    if ((g.vector & 4) && col0 + S::BN <= g.n) {
        for (int v = r0 * Q + threadIdx.x; v < r1 * Q; v += S::THREADS) {
            V q = *(const V *)(tile + ring_at<S>(v / Q, v % Q * 4)), turned = {q.y, q.x, q.w, q.z};
            put(c + v / Q * g.ldc + v % Q * 4, turned, alpha, beta, keep);
        }
    } else {
        for (int e = r0 * S::BN + threadIdx.x; e < r1 * S::BN; e += S::THREADS) {
            int at = e % S::BN;
            if (col0 + at < g.n)
                put(c + e / S::BN * g.ldc + at, tile[ring_at<S>(e / S::BN, at ^ 1)], alpha, beta, keep);
        }
    }
}

template <typename S> static __device__ __forceinline__ void ring_gemm(const TensorArgs &a)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char memory[];
    __shared__ __align__(8) Bar bars[S::SLOTS];
    const GemmArgs             &g    = a.g;
    T                          *tile = (T *)memory, acc[S::TM][S::TN];
    unsigned                    full = shared_address(bars), blocks = cluster_size(), rank = cluster_rank();
    if (threadIdx.x == 0) {
        for (int b = 0; b < S::SLOTS; b++)
            bar_init(full + b * 8, 1);
        bar_init_done();
    }
    __syncthreads();
    int tm, tn, slices = (g.k + S::BK - 1) / S::BK, parts = g.parts > 1 ? g.parts : 1, cluster = blockIdx.x / blocks;
    int part = cluster % parts, share = part * blocks + rank, shares = parts * blocks;
    int from = (int)((long long)slices * share / shares), count = (int)((long long)slices * (share + 1) / shares) - from;
    tile_order(cluster / parts, (g.m + S::BM - 1) / S::BM, (g.n + S::BN - 1) / S::BN, &tm, &tn);
    RingFeed<S> feed = {a, tile, full, tm * S::BM, tn * S::BN, from, count};
    RingPlace   p    = ring_place<S>();
    ring_product<S>(feed, p, acc);
    ring_stage<S>(tile, p, acc);
    int r0 = (int)(S::BM * rank / blocks), r1 = (int)(S::BM * (rank + 1) / blocks);
    r1 = r1 < g.m - tm * S::BM ? r1 : g.m - tm * S::BM;
    if (blocks > 1)
        cluster_barrier();
    else
        __syncthreads();
    if (blocks > 1 || S::GROUPS > 1) {
        ring_sum<S>(tile, r0, r1, rank, blocks);
        __syncthreads();
    }
    ring_write<S>(g, tile, part, tm * S::BM, tn * S::BN, r0, r1);
    if (blocks > 1) /* others may still read this block's shared memory */
        cluster_barrier();
}

#define RING_KERNEL(name, shape, blocks)                                                                               \
    extern "C" __global__ void __launch_bounds__(shape::THREADS, blocks) name(const __grid_constant__ TensorArgs a)    \
    {                                                                                                                  \
        ring_gemm<shape>(GRID_CONSTANT(name, TensorArgs, a));                                                          \
    }

#endif
