/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of matrices of 4-byte elements between leading dimensions (args.h), one or two in a launch, each as it is or transposed.
 *
 *   transposed  A 64 x 64 tile passes through shared memory, so that both sides move along their rows.  Where these are aligned, a thread
 *               turns a 4 x 4 square in its registers and moves 16 bytes at once; else a warp moves 32 neighbouring words.  Word r of the turned
 *               tile's row c lies at place(c, r): whole columns are stored and whole rows read either way without a bank conflict or
 *               a padding word.
 *
 * Where the rows of `to` are not aligned, tiles share sectors of it: blocks side by side there run at about one time, so that the L2 still has the one
 * half when the other comes.
 *
 * Blocks of 256 threads, in one line; a block's tiles lie below one another, a grid's height apart.  Any sizes; nothing outside of the matrices is touched. */
#ifndef WW_KERNELS_COPY_MATRIX_CUH
#define WW_KERNELS_COPY_MATRIX_CUH

#include "args.h"

enum { SIDE = 64, VECTORS = SIDE / 4 };

/* Elements c to c + 3 of a row; those past its end are zero. */
static __device__ __forceinline__ uint4 row_load(const unsigned *p, unsigned c, unsigned columns, bool aligned)
{
    uint4 v = {0, 0, 0, 0};
    if (aligned && c + 4 <= columns)
        return *(const uint4 *)(p + c);
    v.x = c < columns ? p[c] : 0;
    v.y = c + 1 < columns ? p[c + 1] : 0;
    v.z = c + 2 < columns ? p[c + 2] : 0;
    v.w = c + 3 < columns ? p[c + 3] : 0;
    return v;
}

static __device__ __forceinline__ void row_store(unsigned *p, unsigned c, unsigned columns, bool aligned, uint4 v)
{
    if (aligned && c + 4 <= columns) {
        *(uint4 *)(p + c) = v;
        return;
    }
    if (c < columns)
        p[c] = v.x;
    if (c + 1 < columns)
        p[c + 1] = v.y;
    if (c + 2 < columns)
        p[c + 2] = v.z;
    if (c + 3 < columns)
        p[c + 3] = v.w;
}

/* The tile at (r0, c0), four rows a thread. */
static __device__ __forceinline__ void copy_tile(const CopyPart &p, unsigned r0, unsigned c0)
{
    unsigned c = c0 + threadIdx.x % VECTORS * 4, first = r0 + threadIdx.x / VECTORS;
#pragma unroll
    for (unsigned r = first; r < first + SIDE; r += SIDE / 4)
        if (r < p.rows)
            row_store(p.to + r * p.to_ld, c, p.columns, p.how & COPY_TO_ALIGNED,
                      row_load(p.from + r * p.from_ld, c, p.columns, p.how & COPY_FROM_ALIGNED));
}

/* A vector whose word e is word e ^ I of v. */
template <int I> static __device__ __forceinline__ uint4 swapped(uint4 v)
{
    uint4 pairs = I & 1 ? uint4{v.y, v.x, v.w, v.z} : v;
    return I & 2 ? uint4{pairs.z, pairs.w, pairs.x, pairs.y} : pairs;
}

/* Of word r of the turned tile's row c. */
static __device__ __forceinline__ unsigned place(unsigned c, unsigned r)
{
    return c * SIDE + ((r / 4 ^ c / 4) * 4) + ((r ^ c) & 3);
}

/* Word by word a thread moves column threadIdx.x % 64 of rows threadIdx.x / 64, + 4, + 8 ... of one side. */
enum { WORD_ROWS = 256 / SIDE, AT_ONCE = 16 };

/* Begins with a barrier: the tile before has been read. */
static __device__ __forceinline__ void turn_in(const CopyPart &p, unsigned r0, unsigned c0, uint4 *turned)
{
    unsigned x = threadIdx.x % VECTORS, y = threadIdx.x / VECTORS;
    if (p.how & COPY_FROM_ALIGNED) {
        uint4 q[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            unsigned r = r0 + y * 4 + i;
            q[i] = row_load(p.from + r * p.from_ld, c0 + x * 4, r < p.rows ? p.columns : 0, true);
        }
        __syncthreads();
        uint4 *at = turned + x * 4 * VECTORS + (y ^ x);
        at[0]           = swapped<0>({q[0].x, q[1].x, q[2].x, q[3].x});
        at[VECTORS]     = swapped<1>({q[0].y, q[1].y, q[2].y, q[3].y});
        at[2 * VECTORS] = swapped<2>({q[0].z, q[1].z, q[2].z, q[3].z});
        at[3 * VECTORS] = swapped<3>({q[0].w, q[1].w, q[2].w, q[3].w});
    } else {
        unsigned           c = threadIdx.x % SIDE, r = threadIdx.x / SIDE, end = c0 + c < p.columns ? p.rows - r0 : 0;
        const unsigned    *from = p.from + (r0 + r) * p.from_ld + c0 + c;
        unsigned long long step = WORD_ROWS * p.from_ld;
        __syncthreads();
#pragma unroll AT_ONCE
        for (; r < SIDE; r += WORD_ROWS, from += step)
            ((unsigned *)turned)[place(c, r)] = r < end ? *from : 0;
    }
}

static __device__ __forceinline__ void turn_out(const CopyPart &p, unsigned r0, unsigned c0, const uint4 *turned)
{
    unsigned x = threadIdx.x % VECTORS, y = threadIdx.x / VECTORS;
    if (p.how & COPY_TO_ALIGNED) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            unsigned c = c0 + y * 4 + i;
            uint4    q = turned[(y * 4 + i) * VECTORS + (x ^ y)];
            q = i == 1 ? swapped<1>(q) : i == 2 ? swapped<2>(q) : i == 3 ? swapped<3>(q) : q;
            row_store(p.to + c * p.to_ld, r0 + x * 4, c < p.columns ? p.rows : 0, true, q);
        }
    } else {
        unsigned           r = threadIdx.x % SIDE, c = threadIdx.x / SIDE, end = r0 + r < p.rows ? p.columns - c0 : 0;
        unsigned          *to = p.to + (c0 + c) * p.to_ld + r0 + r;
        unsigned long long step = WORD_ROWS * p.to_ld;
#pragma unroll AT_ONCE
        for (; c < SIDE; c += WORD_ROWS, to += step)
            if (c < end)
                *to = ((const unsigned *)turned)[place(c, r)];
    }
}

static __device__ __forceinline__ void copy_parts(const CopyArgs &a)
{
    __shared__ uint4 turned[SIDE * VECTORS];
    bool             second = blockIdx.x >= a.part[0].blocks;
    const CopyPart   p      = second ? a.part[1] : a.part[0];
    unsigned         block = blockIdx.x - (second ? a.part[0].blocks : 0), across = (p.columns + SIDE - 1) / SIDE;
    unsigned         down = p.blocks / across, x = block % across, y = block / across;
    if ((p.how & (COPY_TRANSPOSED | COPY_TO_ALIGNED)) == COPY_TRANSPOSED) {
        x = block / down;
        y = block % down;
    }
    unsigned c0 = x * SIDE;
    for (unsigned r0 = y * SIDE; r0 < p.rows; r0 += down * SIDE)
        if (p.how & COPY_TRANSPOSED) {
            turn_in(p, r0, c0, turned);
            __syncthreads();
            turn_out(p, r0, c0, turned);
        } else {
            copy_tile(p, r0, c0);
        }
}

#endif
