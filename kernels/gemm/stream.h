/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream-K: the tiles of C laid end to end, each as many slices of k long as k has, cut into gridDim.x pieces of equal
 * length (to one slice).  A piece's tiles that lie inside it are written as usual.  Of a tile that is cut, every
 * contributor adds one to the tile's counter.  All but the last leave their sums in the workspace and say so in the counter's upper
 * half; the last keeps its own in registers, waits for theirs, adds them up and writes the tile.
 *
 *   work      gridDim.x * 2 partial tiles: of block b, 2b for the tile its piece begins in, 2b + 1 for any later one
 *   count     a word for each tile, zero before the launch, and zero again after it
 *
 * Who is waited for has counted itself, so it runs: no number of blocks needs to run at once.
 * A partial tile is stored register by register, a vector for each thread, so all of its accesses are whole sectors; it
 * is read past L1, where an older one could still be.  Partial sums are added in the order of k. */
#ifndef WW_KERNELS_GEMM_STREAM_H
#define WW_KERNELS_GEMM_STREAM_H

#include "tile.h"

static __device__ __forceinline__ uint4 load_past_l1(const uint4 *p)
{
    uint4 v;
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %4; ld.global.cg.v4.u32 {%0, %1, %2, %3}, [g]; }"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(p)
                 : "memory");
    return v;
}

static __device__ __forceinline__ unsigned add(unsigned *p, unsigned v)
{
    unsigned old;
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %1; atom.global.add.u32 %0, [g], %2; }"
                 : "=r"(old)
                 : "l"(p), "r"(v)
                 : "memory");
    return old;
}

/* Atomic, since nothing orders it after the additions of the others. */
static __device__ __forceinline__ void clear(unsigned *p)
{
    asm volatile("{ .reg .u64 g; .reg .b32 old; cvta.to.global.u64 g, %0; atom.global.exch.b32 old, [g], 0; }" ::"l"(p)
                 : "memory");
}

static __device__ __forceinline__ void fence(void)
{
    asm volatile("membar.gl;" ::: "memory");
}

static __device__ __forceinline__ unsigned bits_of(float v)
{
    union {
        float    f;
        unsigned u;
    } word;
    word.f = v;
    return word.u;
}

static __device__ __forceinline__ unsigned bits_of(unsigned v)
{
    return v;
}

template <typename S> static __device__ __forceinline__ uint4 *partial_tile(const GemmArgs &g, long long slot)
{
    return (uint4 *)g.work + slot * (S::BM * S::BN / 4) + threadIdx.x;
}

/* Result e of quad q.  Which four make a quad is free; it decides the registers the results keep all through the loop, since a
 * quad that is stored at once lies in four neighbouring ones.  multiply() wants a result and the operand that changes from
 * one multiplication to the next in different banks, and operands lie in the order of their index: so quads run along
 * the direction of multiply(), each pair of them turned round.  (In the order of memory 3617 of the tensor kernel's 4096
 * multiplications a slice clash, so about 250.) */
template <typename S>
static __device__ __forceinline__ typename S::type &partial_result(int q, int e, typename S::type acc[S::TM][S::TN])
{
    int at = q * 4 + (e ^ 1);
    return S::TM == 16 ? acc[at / S::TN][at % S::TN] : acc[at % S::TM][at / S::TM];
}

template <typename S> static __device__ __forceinline__ void partial_store(uint4 *p, typename S::type acc[S::TM][S::TN])
{
#pragma unroll
    for (int q = 0; q < S::TM * S::TN / 4; q++) {
        uint4 v           = {bits_of(partial_result<S>(q, 0, acc)), bits_of(partial_result<S>(q, 1, acc)),
                             bits_of(partial_result<S>(q, 2, acc)), bits_of(partial_result<S>(q, 3, acc))};
        p[q * S::THREADS] = v;
    }
}

/* N quads of a partial tile, all under way at once: one after the other they take 40 microseconds. */
template <typename S, int N>
static __device__ __forceinline__ void partial_add(const uint4 *p, typename S::type sum[N][4])
{
    typedef Four<typename S::type> F;
    uint4                          v[N];
#pragma unroll
    for (int q = 0; q < N; q++)
        v[q] = load_past_l1(p + q * S::THREADS);
#pragma unroll
    for (int q = 0; q < N; q++) {
        sum[q][0] += F::from(v[q].x);
        sum[q][1] += F::from(v[q].y);
        sum[q][2] += F::from(v[q].z);
        sum[q][3] += F::from(v[q].w);
    }
}

/* The blocks [first, last] that have a share of the slices [from, to) of `all`, which `blocks` share, none without one. */
static __device__ __forceinline__ void contributors(long long all, long long blocks, long long from, long long to,
                                                    long long *first, long long *last)
{
    *first = ((from + 1) * blocks - 1) / all;
    *last  = (to * blocks - 1) / all;
}

/* A barrier of the threads that multiply.  BARRIER 0: the whole block. */
template <typename S, int BARRIER> static __device__ __forceinline__ void meet(void)
{
    if (BARRIER == 0)
        __syncthreads();
    else
        asm volatile("bar.sync %0, %1;" ::"n"(BARRIER), "n"((int)S::THREADS) : "memory");
}

/* Adds up a tile whose slices several blocks share, AT_ONCE quads a thread at a time; false: another block will write it. */
template <typename S, int BARRIER, int AT_ONCE>
static __device__ __forceinline__ bool stream_join(const GemmArgs &g, long long all, long long blocks, long long slices,
                                                   long long tile, unsigned *said, typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    enum { QUADS = S::TM * S::TN / 4, LEFT = 1 << 16 };
    static_assert(QUADS % AT_ONCE == 0, "every turn has as many quads");
    unsigned *count = (unsigned *)g.count + tile;
    long long mine  = blockIdx.x, first, last;
    contributors(all, blocks, tile * slices, (tile + 1) * slices, &first, &last);
    unsigned others = (unsigned)(last - first);
    if (threadIdx.x == 0)
        *said = add(count, 1) % LEFT == others;
    meet<S, BARRIER>();
    bool last_here = *said != 0;
    if (!last_here) {
        partial_store<S>(partial_tile<S>(g, 2 * mine + (mine * all / blocks / slices != tile)), acc);
        fence();
    } else if (threadIdx.x == 0) {
        while (add(count, 0) / LEFT != others)
            ;
        clear(count);
    }
    meet<S, BARRIER>();
    if (!last_here) {
        if (threadIdx.x == 0)
            add(count, LEFT);
        return false;
    }
    fence();
#pragma unroll
    for (int q = 0; q < QUADS; q += AT_ONCE) {
        T sum[AT_ONCE][4] = {};
        for (long long b = first; b <= last; b++) {
            if (b != mine) {
                partial_add<S, AT_ONCE>(
                    partial_tile<S>(g, 2 * b + (b * all / blocks / slices != tile)) + q * S::THREADS, sum);
                continue;
            }
#pragma unroll
            for (int e = 0; e < AT_ONCE * 4; e++)
                sum[e / 4][e % 4] += partial_result<S>(q + e / 4, e % 4, acc);
        }
#pragma unroll
        for (int e = 0; e < AT_ONCE * 4; e++)
            partial_result<S>(q + e / 4, e % 4, acc) = sum[e / 4][e % 4];
    }
    return true;
}

template <typename S, bool XKC, bool YKC> static __device__ __forceinline__ void stream_gemm(const GemmArgs &g)
{
    typedef typename S::type T;
    __shared__ __align__(16) T shared[S::WORDS];
    __shared__ unsigned        said;
    T                          acc[S::TM][S::TN];
    int                        down = (g.m + S::BM - 1) / S::BM, across = (g.n + S::BN - 1) / S::BN;
    long long                  slices = (g.k + S::BK - 1) / S::BK, all = slices * down * across;
    long long                  at = blockIdx.x * all / gridDim.x, stop = (blockIdx.x + 1LL) * all / gridDim.x;
    while (at < stop) {
        long long tile = at / slices, from = at - tile * slices;
        long long to = stop - tile * slices < slices ? stop - tile * slices : slices;
        int       tm, tn, end = to * S::BK < g.k ? (int)to * S::BK : g.k;
        tile_order((int)tile, down, across, &tm, &tn);
        tile_product<S, XKC, YKC>(g, g.x, g.y, tm * S::BM, tn * S::BN, (int)from * S::BK, end, shared, acc);
        if ((from == 0 && to == slices) || stream_join<S, 0, 4>(g, all, gridDim.x, slices, tile, &said, acc))
            tile_write<S>(g, (T *)g.c, tm * S::BM, tn * S::BN, acc);
        at = tile * slices + to;
        __syncthreads();
    }
}

#endif
