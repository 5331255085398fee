/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of matrices of 4-byte elements between leading dimensions (args.h), one or two in a launch, each as it is or transposed.
 *
 * A 64 x 64 tile of the transposed copy passes through shared memory, so that both sides move along their rows.  A thread turns a
 * 4 x 4 square in its registers; vector v of the turned tile's row c lies at v ^ (c / 4 % 16): whole columns are stored and whole
 * rows read, 16 bytes a lane, without a bank conflict or a padding word.
 *
 * Blocks of 256 threads, in one line; a block's tiles lie below one another.  Any sizes; nothing outside of the matrices is touched. */
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

/* Begins with a barrier: the tile before has been read. */
static __device__ __forceinline__ void turn_tile(const CopyPart &p, unsigned r0, unsigned c0, uint4 *turned)
{
    unsigned x = threadIdx.x % VECTORS, y = threadIdx.x / VECTORS;
    uint4    q[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned r = r0 + y * 4 + i;
        q[i] = row_load(p.from + r * p.from_ld, c0 + x * 4, r < p.rows ? p.columns : 0, p.how & COPY_FROM_ALIGNED);
    }
    uint4 column[4] = {{q[0].x, q[1].x, q[2].x, q[3].x},
                       {q[0].y, q[1].y, q[2].y, q[3].y},
                       {q[0].z, q[1].z, q[2].z, q[3].z},
                       {q[0].w, q[1].w, q[2].w, q[3].w}};
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 4; j++)
        turned[(x * 4 + j) * VECTORS + (y ^ x)] = column[j];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++) {
        unsigned c = y * 4 + i;
        if (c0 + c < p.columns)
            row_store(p.to + (c0 + c) * p.to_ld, r0 + x * 4, p.rows, p.how & COPY_TO_ALIGNED,
                      turned[c * VECTORS + (x ^ y)]);
    }
}

static __device__ __forceinline__ void copy_parts(const CopyArgs &a)
{
    __shared__ uint4 turned[SIDE * VECTORS];
    bool             second = blockIdx.x >= a.part[0].blocks;
    const CopyPart   p      = second ? a.part[1] : a.part[0];
    unsigned         block = blockIdx.x - (second ? a.part[0].blocks : 0), across = (p.columns + SIDE - 1) / SIDE;
    unsigned         c0 = block % across * SIDE, down = p.blocks / across * SIDE;
    for (unsigned r0 = block / across * SIDE; r0 < p.rows; r0 += down)
        if (p.how & COPY_TRANSPOSED)
            turn_tile(p, r0, c0, turned);
        else
            copy_tile(p, r0, c0);
}

#endif
