/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream-K: the tiles of C laid end to end, each as many slices of k long as k has, cut into gridDim.x pieces of equal
 * length (to one slice).  A piece's tiles that lie inside it are written as usual.  Of a tile that is cut, every
 * contributor leaves its sum in the workspace and adds one to the tile's counter; who finds all others there adds the
 * sums up and writes the tile.
 *
 *   work      gridDim.x * 2 partial tiles: of block b, 2b for the tile its piece begins in, 2b + 1 for any later one
 *   count     a word for each tile, zero before the launch, and zero again after it
 *
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

static __device__ __forceinline__ unsigned add_one(unsigned *p)
{
    unsigned old;
    asm volatile("{ .reg .u64 g; cvta.to.global.u64 g, %1; atom.global.add.u32 %0, [g], 1; }" : "=r"(old) : "l"(p) : "memory");
    return old;
}

/* Atomic, since nothing orders it after the additions of the others. */
static __device__ __forceinline__ void clear(unsigned *p)
{
    asm volatile("{ .reg .u64 g; .reg .b32 old; cvta.to.global.u64 g, %0; atom.global.exch.b32 old, [g], 0; }" ::"l"(p) : "memory");
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
        uint4 v = {bits_of(partial_result<S>(q, 0, acc)), bits_of(partial_result<S>(q, 1, acc)),
                   bits_of(partial_result<S>(q, 2, acc)), bits_of(partial_result<S>(q, 3, acc))};
        p[q * S::THREADS] = v;
    }
}

template <typename S> static __device__ __forceinline__ void partial_add(const uint4 *p, typename S::type acc[S::TM][S::TN])
{
    typedef Four<typename S::type> F;
#pragma unroll
    for (int q = 0; q < S::TM * S::TN / 4; q++) {
        uint4 v = load_past_l1(p + q * S::THREADS);
        partial_result<S>(q, 0, acc) += F::from(v.x);
        partial_result<S>(q, 1, acc) += F::from(v.y);
        partial_result<S>(q, 2, acc) += F::from(v.z);
        partial_result<S>(q, 3, acc) += F::from(v.w);
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

/* True for every thread of the last block to arrive. */
template <typename S, int BARRIER>
static __device__ __forceinline__ bool arrive(unsigned *count, unsigned others, unsigned *said)
{
    fence();
    meet<S, BARRIER>();
    if (threadIdx.x == 0) {
        *said = add_one(count) == others;
        if (*said)
            clear(count);
    }
    meet<S, BARRIER>();
    fence();
    return *said != 0;
}

/* This block's part of the tile lies in the workspace: are all others' there too? */
template <typename S, int BARRIER>
static __device__ __forceinline__ bool stream_last(const GemmArgs &g, long long all, long long blocks, long long slices,
                                                   long long tile, unsigned *said)
{
    long long first, last;
    contributors(all, blocks, tile * slices, (tile + 1) * slices, &first, &last);
    return arrive<S, BARRIER>((unsigned *)g.count + tile, (unsigned)(last - first), said);
}

/* Adds up a tile whose slices [from, to) several blocks share; false: another block will write it. */
template <typename S, int BARRIER = 0>
static __device__ __forceinline__ bool stream_join(const GemmArgs &g, long long all, long long blocks, long long slices,
                                                   long long tile, unsigned *said, typename S::type acc[S::TM][S::TN])
{
    long long first, last, mine = blockIdx.x * all / blocks / slices;
    contributors(all, blocks, tile * slices, (tile + 1) * slices, &first, &last);
    partial_store<S>(partial_tile<S>(g, 2LL * blockIdx.x + (mine != tile)), acc);
    if (!stream_last<S, BARRIER>(g, all, blocks, slices, tile, said))
        return false;
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = typename S::type(0);
    for (long long b = first; b <= last; b++)
        partial_add<S>(partial_tile<S>(g, 2 * b + (b * all / blocks / slices != tile)), acc);
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
        if ((from == 0 && to == slices) || stream_join<S>(g, all, gridDim.x, slices, tile, &said, acc))
            tile_write<S>(g, (T *)g.c, tm * S::BM, tn * S::BN, acc);
        at = tile * slices + to;
        __syncthreads();
    }
}

#endif
