/* SPDX-License-Identifier: Apache-2.0
 *
 * What tiles share that are computed by groups of warps and by the blocks of a cluster: which results a lane has, where a staged tile's
 * elements lie, and the other blocks' shared memory.
 *
 *   C         a tile passes through shared memory, each pair of columns swapped: four results that are stored together
 *             lie in four neighbouring registers, and swapped they lie in the other bank than the operand that changes.
 *             It leaves in whole rows, also where the rows of C are not aligned. */
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

/* Are the lanes of a shape spread?  Those that say nothing are not. */
template <typename S> struct RingSpread {
    enum { ON = 0 };
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

/* Where an element of a staged tile lies.  Eight neighbouring lanes store to two or four rows 4 apart: the pitch puts every other one
 * on the other half of the banks; spread lanes on the same half differ in their columns, others are set apart by the exclusive or with
 * bit 3 of the row. */
template <typename S> static __device__ __forceinline__ int ring_at(int row, int col)
{
    return row * S::PITCH + (RingSpread<S>::ON ? col : col ^ (row & 8));
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

#endif
