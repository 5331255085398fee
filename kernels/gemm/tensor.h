/* SPDX-License-Identifier: Apache-2.0
 *
 * A tile product whose operands arrive by tensor copies (TMA), in a ring of BUFFERS slices of BK along k.
 *
 *   operands  both contiguous along the result (X as k x m, Y as k x n), rows aligned to 16 bytes: a box of BK rows is a slice
 *             as the fragments want it, and one thread orders it with one instruction.  What lies outside of a matrix
 *             arrives as zero, so neither edges nor a short last slice need any code.
 *   ring      full[b] completes when both boxes of slice b have arrived; a __syncthreads at the end of each slice says
 *             that every warp has its last fragment in registers, and thread 0 orders the slice BUFFERS further on.
 *   blocks    each does whole tiles, a grid's width apart, while every block has one; the tiles of the last, incomplete
 *             round are shared out along k (stream.h), among no more blocks than they have slices.  With a block for
 *             each tile nothing is shared out: a tenth faster where the tiles fill the card.
 *
 * Invariants: blockIdx.x is the only index; all threads reach every barrier; ring and phase go on from tile to tile. */
#ifndef WW_KERNELS_GEMM_TENSOR_H
#define WW_KERNELS_GEMM_TENSOR_H

#include "boxes.h"
#include "stream.h"

template <typename S> struct Ring {
    typedef typename S::type T;
    enum { X = S::BK * S::BM, WORDS = X + S::BK * S::BN };
    T       *shared;
    unsigned full, buffer, phase;

    /* Ends with all threads past a barrier. */
    __device__ __forceinline__ void open(T *slices, Bar *bars)
    {
        shared = slices;
        full   = shared_address(bars);
        buffer = phase = 0;
        if (threadIdx.x == 0) {
            for (int b = 0; b < S::BUFFERS; b++)
                bar_init(full + b * 8, 1);
            bar_init_done();
        }
        __syncthreads();
    }

    /* One thread: slice `l` (a row of the maps) of the tile at (row0, col0) into buffer b. */
    __device__ __forceinline__ void order(const TensorArgs &a, unsigned b, int row0, int col0, int l) const
    {
        bar_expect(full + b * 8, WORDS * sizeof(T));
        box_copy(shared_address(shared + b * WORDS), &a.x, row0, l, full + b * 8);
        box_copy(shared_address(shared + b * WORDS + X), &a.y, col0, l, full + b * 8);
    }

    __device__ __forceinline__ void next(void)
    {
        buffer = buffer + 1 == S::BUFFERS ? 0 : buffer + 1;
        phase ^= buffer == 0;
    }
};

/* acc = X * Y for the tile at (row0, col0) over the slices [from, to).  Ends with every warp done with the ring. */
template <typename S>
static __device__ __forceinline__ void tensor_product(const TensorArgs &a, Ring<S> &ring, int row0, int col0, int from, int to,
                                                      typename S::type acc[S::TM][S::TN])
{
    typedef typename S::type T;
    int                      row, col;
    lane_place<S>(&row, &col);
#pragma unroll
    for (int i = 0; i < S::TM; i++)
#pragma unroll
        for (int j = 0; j < S::TN; j++)
            acc[i][j] = T(0);
    if (from >= to)
        return;
    if (threadIdx.x == 0) {
        unsigned b = ring.buffer;
        for (int s = from; s < to && s < from + S::BUFFERS; s++) {
            ring.order(a, b, row0, col0, s * S::BK);
            b = b + 1 == S::BUFFERS ? 0 : b + 1;
        }
    }
    Fragment<S> f[2];
    const T    *xs = ring.shared + ring.buffer * Ring<S>::WORDS + row, *ys = xs + Ring<S>::X - row + col;
    bar_wait(ring.full + ring.buffer * 8, ring.phase);
    f[0].read(xs, ys);
    for (int s = from; s < to; s++) {
#pragma unroll
        for (int l = 0; l < S::BK; l++) {
            if (l + 1 < S::BK) {
                f[(l + 1) % 2].read(xs + (l + 1) * S::BM, ys + (l + 1) * S::BN);
            } else {
                unsigned was = ring.buffer;
                ring.next();
                if (s + 1 < to)
                    bar_wait(ring.full + ring.buffer * 8, ring.phase);
                __syncthreads();
                if (threadIdx.x == 0 && s + S::BUFFERS < to)
                    ring.order(a, was, row0, col0, (s + S::BUFFERS) * S::BK);
                xs = ring.shared + ring.buffer * Ring<S>::WORDS + row;
                ys = xs + Ring<S>::X - row + col;
                if (s + 1 < to)
                    f[0].read(xs, ys);
            }
            multiply<S>(f[l % 2], acc);
        }
    }
}

template <typename S> static __device__ __forceinline__ void tensor_gemm(const TensorArgs &a)
{
    typedef typename S::type T;
    extern __shared__ __align__(128) unsigned char slices[];
    __shared__ __align__(8) Bar bars[S::BUFFERS];
    __shared__ unsigned         said;
    const GemmArgs             &g = a.g;
    T                           acc[S::TM][S::TN];
    Ring<S>                     ring;
    ring.open((T *)slices, bars);
    int       down = (g.m + S::BM - 1) / S::BM, across = (g.n + S::BN - 1) / S::BN, tm, tn;
    long long per = (g.k + S::BK - 1) / S::BK, tiles = (long long)down * across, whole = tiles / gridDim.x * gridDim.x;
    long long all = (tiles - whole) * per, sharers = all < gridDim.x ? all : gridDim.x, at = 0, stop = 0;
    if (blockIdx.x < sharers) {
        at   = blockIdx.x * all / sharers;
        stop = (blockIdx.x + 1LL) * all / sharers;
    }
    for (long long t = blockIdx.x; t < whole || at < stop;) {
        long long tile = t, from = 0, to = per;
        if (t < whole) {
            t += gridDim.x;
        } else {
            tile = at / per;
            from = at - tile * per;
            to   = stop - tile * per < per ? stop - tile * per : per;
            at   = tile * per + to;
            tile += whole;
        }
        tile_order((int)tile, down, across, &tm, &tn);
        tensor_product<S>(a, ring, tm * S::BM, tn * S::BN, (int)from, (int)to, acc);
        if ((from == 0 && to == per) || stream_join<S, 0, 4>(g, all, sharers, per, tile - whole, &said, acc))
            tile_write<S>(g, (T *)g.c, tm * S::BM, tn * S::BN, acc);
    }
}

#define TENSOR_KERNEL(name, body, shape, blocks)                                                                       \
    extern "C" __global__ void __launch_bounds__(shape::THREADS, blocks) name(const __grid_constant__ TensorArgs a)    \
    {                                                                                                                  \
        body<shape>(GRID_CONSTANT(name, TensorArgs, a));                                                               \
    }

#endif
