/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands of 16 bits that a warpgroup draws where they lie (cp.async), in accesses as wide as their lines' alignment allows, into boxes of 64 lines of
 * 128 bytes, swizzled as tensor copies do.  What is outside an operand is zero.  And which tile is a block's, for kernels whose blocks have one each. */
#ifndef WW_KERNELS_GEMM_HALF_DRAWN_CUH
#define WW_KERNELS_GEMM_HALF_DRAWN_CUH

#include "half_result.cuh"

/* A matrix as it lies in memory. */
struct HalfLines {
    const unsigned short *at;
    unsigned long long    ld;
    int                   lines, length;
};

/* 4, 8 or 16 bytes to shared memory, the first `bytes` of them read, the others zero. */
template <int GRAIN> static __device__ __forceinline__ void draw_some(unsigned to, const unsigned short *from, int bytes)
{
    if (GRAIN == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], %3, %2;" ::"r"(to), "l"(from), "r"(bytes), "n"(GRAIN) : "memory");
}

/* Where a box has byte b of a line. */
static __device__ __forceinline__ unsigned box_at(unsigned box, int line, int b)
{
    return box + line * 128 + (((b / 16) ^ (line & 7)) << 4) + b % 16;
}

/* An element at a time, so many of a thread's on their way at once. */
template <int THREADS> static __device__ __forceinline__ void draw_elements(unsigned to, const HalfLines &m, int line0, int e0)
{
    enum { AT_ONCE = 32, ACROSS = THREADS < 64 ? THREADS : 64, STEP = THREADS / ACROSS, PASSES = 64 / ACROSS, EACH = 64 * 64 / THREADS };
    int t = threadIdx.x % THREADS, x = t % ACROSS;
#pragma unroll 1
    for (int first = 0; first < EACH; first += AT_ONCE) {
        unsigned short v[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            int line = line0 + (first + i) / PASSES * STEP + t / ACROSS, e = e0 + i % PASSES * ACROSS + x;
            v[i]     = line < m.lines && e < m.length ? m.at[line * m.ld + e] : 0;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            asm volatile("st.shared.b16 [%0], %1;" ::"r"(box_at(to, (first + i) / PASSES * STEP + t / ACROSS, (i % PASSES * ACROSS + x) * 2)), "h"(v[i])
                         : "memory");
    }
}

/* 64 lines from line0 on, of each 64 elements from e0 on, by so many threads. */
template <int GRAIN, int THREADS = WARPGROUP> static __device__ __forceinline__ void draw_box(unsigned to, const HalfLines &m, int line0, int e0)
{
    if constexpr (GRAIN == 2) {
        draw_elements<THREADS>(to, m, line0, e0);
    } else {
        enum { EACH = GRAIN / 2, ACROSS = 64 / EACH, STEP = THREADS / ACROSS };
        int t = threadIdx.x % THREADS, x = t % ACROSS, left = m.length - e0 - x * EACH, bytes = left <= 0 ? 0 : left < EACH ? left * 2 : GRAIN;
#pragma unroll
        for (int i = 0; i < 64 / STEP; i++) {
            int line = i * STEP + t / ACROSS, some = line0 + line < m.lines ? bytes : 0;
            draw_some<GRAIN>(box_at(to, line, x * GRAIN), some ? m.at + (line0 + line) * m.ld + e0 + x * EACH : m.at, some);
        }
    }
}

/* SIDE of m or n from `first` on, by 64 of k from k0 on. */
template <int SIDE, int N, int GRAIN, int THREADS> static __device__ __forceinline__ void draw_boxes(unsigned to, const HalfLines &m, int first, int k0)
{
#pragma unroll
    for (int b = 0; b < SIDE / 64; b++)
        draw_box<GRAIN, THREADS>(to + b * 64 * 128, m, N ? k0 : first + b * 64, N ? first + b * 64 : k0);
}

template <int SIDE, int N, int THREADS = WARPGROUP>
static __device__ __forceinline__ void draw_operand(unsigned to, const HalfLines &m, int grain, int first, int k0)
{
    if (grain == 16)
        draw_boxes<SIDE, N, 16, THREADS>(to, m, first, k0);
    else if (grain == 8)
        draw_boxes<SIDE, N, 8, THREADS>(to, m, first, k0);
    else if (grain == 4)
        draw_boxes<SIDE, N, 4, THREADS>(to, m, first, k0);
    else
        draw_boxes<SIDE, N, 2, THREADS>(to, m, first, k0);
}

template <int LEFT> static __device__ __forceinline__ void draws_wait(void)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

/* Until no more than `left` groups of copies are on their way, or fewer. */
static __device__ __forceinline__ void draws_come(int left)
{
    if (left >= 7)
        draws_wait<7>();
    else if (left >= 4)
        draws_wait<4>();
    else if (left >= 2)
        draws_wait<2>();
    else if (left == 1)
        draws_wait<1>();
    else
        draws_wait<0>();
}

/* The first result of a tile. */
struct DrawnTile {
    int row, col;
};

/* Tile t, in groups of eight rows of tiles, down a group's columns: what those that run together share is in the L2. */
static __device__ __forceinline__ DrawnTile tile_in_groups(const GemmArgs &g, int t, int rows, int columns)
{
    enum { GROUP = 8 };
    int down = (g.m + rows - 1) / rows, across = (g.n + columns - 1) / columns, first = t / (GROUP * across) * GROUP, in = t % (GROUP * across);
    int high = down - first < GROUP ? down - first : GROUP;
    return {(first + in % high) * rows, in / high * columns};
}

#endif
