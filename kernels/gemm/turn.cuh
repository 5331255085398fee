/* SPDX-License-Identifier: Apache-2.0
 *
 * The products of flow.h with X contiguous along k, without a copy of X: the warps that do not multiply turn each slice.
 *
 *   raw       a slice of X as it comes, BM rows of 32 elements along k: 128 bytes a row, whose chunks of 16 the copy has swizzled by
 *             the row (chunk c of row r in the place c ^ r % 8).  Each of the four warps has its own quarter of the rows, its own boxes,
 *             its own barriers, and waits for no other one.
 *   lanes     a lane turns two squares of 4 x 4: reads four rows of a chunk, writes four rows of the slice.  Eight lanes that go
 *             together read eight places and write eight neighbours, so neither has bank conflicts.
 *   ring      a slice is full when Y's box has arrived and all four quarters of X are turned.
 *   cost      two instructions in a thousand of a scheduler's; a copy before the product takes 1.3 % of its time at 4096 cubed.
 *
 * Not here: Y contiguous along k, which is twice as long; it is copied (src/blas/tensor.c). */
#ifndef WW_KERNELS_GEMM_TURN_CUH
#define WW_KERNELS_GEMM_TURN_CUH

#include "flow.h"

template <typename S> struct FlowTurn {
    typedef typename S::type       T;
    typedef typename Four<T>::type V;
    enum {
        AHEAD    = 2, /* slices that are on their way, or there, before they are turned */
        TURNERS  = 4,
        ROWS     = S::BM / TURNERS,
        ROW      = S::BK * sizeof(T),
        BOX      = ROWS * ROW,
        ARRIVALS = 1 + TURNERS,
        BARS     = TURNERS * AHEAD,
        BYTES    = AHEAD * Flow<S>::XB,
        GIVE     = 72,
        TAKE     = 216,
        Y_AFTER  = 12,
        X_AFTER  = 12,
        X2_AFTER = 12,
        XROW     = S::BM * sizeof(T)
    };

    /* A warp that turns: its boxes one after the other. */
    struct Turner {
        unsigned raw, bars, from, to, slot, phase;
        int      row; /* of its quarter */

        /* boxes, barriers: where all of them begin. */
        __device__ __forceinline__ Turner(unsigned boxes, unsigned barriers)
        {
            static_assert(ROW == 128 && ROWS == 32, "two squares of 4 x 4 a lane, rows as long as the swizzle");
            int lane = threadIdx.x % 32, w = threadIdx.x / 32 % TURNERS, j = lane % 8, t = lane / 8;
            row  = w * ROWS;
            raw  = boxes + w * BOX;
            bars = barriers + w * AHEAD * 8;
            /* Rows 4 j to 4 j + 3, chunk j ^ t ^ 4 (j % 2), which row 4 j + e has in the place j ^ t ^ e; the other square's t is 4 more. */
            from = j * 4 * ROW + ((j ^ t) << 4);
            to   = (j ^ t ^ j % 2 * 4) * 4 * XROW + (row + j * 4) * (unsigned)sizeof(T);
            slot = phase = 0;
        }

        /* One thread: this warp's box of a slice. */
        __device__ __forceinline__ void order(const GemmMap *x, int k, int row0, int into) const
        {
            bar_expect(bars + into * 8, BOX);
            box_copy(raw + into * Flow<S>::XB, x, k, row0 + row, bars + into * 8);
        }

        /* The oldest box to its place in a slice.  A lane reads and writes two squares. */
        __device__ __forceinline__ void turn(unsigned slice) const
        {
            unsigned box = raw + slot * Flow<S>::XB;
            bar_sleep(bars + slot * 8, phase);
#pragma unroll
            for (int h = 0; h < 2; h++) {
                V q[4];
#pragma unroll
                for (int e = 0; e < 4; e++)
                    shared_load(box + e * ROW + (from ^ (e << 4 | h << 6)), &q[e]);
                unsigned out = slice + (to ^ h * 16 * XROW);
                shared_store(out, V{q[0].x, q[1].x, q[2].x, q[3].x});
                shared_store(out + XROW, V{q[0].y, q[1].y, q[2].y, q[3].y});
                shared_store(out + 2 * XROW, V{q[0].z, q[1].z, q[2].z, q[3].z});
                shared_store(out + 3 * XROW, V{q[0].w, q[1].w, q[2].w, q[3].w});
            }
            __syncwarp();
        }

        __device__ __forceinline__ void next(void)
        {
            slot = slot + 1 == AHEAD ? 0 : slot + 1;
            phase ^= slot == 0;
        }
    };

    /* One thread: the boxes of this warp, as far ahead as there is room. */
    struct Raw {
        FlowPiece<S, FlowGrid<S>> p;
        int                       n, at;

        __device__ __forceinline__ bool begin(const GemmArgs &g, int piece)
        {
            n         = piece;
            bool more = p.find(g, n);
            at        = p.from;
            return more;
        }

        __device__ __forceinline__ void order(const TensorArgs &a, const Turner &t, int into)
        {
            if (n < 0)
                return;
            if (at == p.to && !begin(a.g, n + 1)) {
                n = -1;
                return;
            }
            t.order(&a.x, at++ * S::BK, p.row0, into);
        }
    };

    static __device__ __forceinline__ void run(const TensorArgs &a, Flow<S> &ring)
    {
        Turner t(ring.ys + S::BUFFERS * Flow<S>::YB, ring.full + 2 * S::BUFFERS * 8);
        Raw    next;
        bool   one = threadIdx.x % 32 == 0;
        if (one && next.begin(a.g, 0))
            for (int s = 0; s < AHEAD; s++)
                next.order(a, t, s);
        FlowPiece<S, FlowGrid<S>> p;
        for (int n = 0; p.find(a.g, n); n++) {
            int end = p.to, col0 = p.col0;
#pragma unroll 1
            for (int s = p.from; s < end; s++) {
                unsigned bar = ring.full + ring.buffer * 8;
                bar_sleep(ring.empty + ring.buffer * 8, ring.phase ^ 1);
                if (threadIdx.x == S::THREADS) {
                    bar_expect(bar, Flow<S>::YB);
                    box_copy(ring.ys + ring.buffer * Flow<S>::YB, &a.y, col0, s * S::BK, bar);
                }
                t.turn(ring.xs + ring.buffer * Flow<S>::XB);
                if (one) {
                    bar_arrive(bar);
                    next.order(a, t, t.slot);
                }
                t.next();
                ring.next();
            }
        }
    }
};

template <typename S, int UNROLL> static __device__ __forceinline__ void flow_turned(const TensorArgs &a)
{
    flow_run<S, UNROLL, FlowTurn<S>>(a);
}

#endif
