/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of matrices of 4-byte elements between leading dimensions (matrix.cuh), and transposed copies of other elements.
 *
 * Change      both sides of a transposed copy move along their rows, 16 bytes a lane.
 * Bottleneck  the memory: 8 bytes an element.
 * Measured    docs/kernels.md.
 *
 * copy_transposed_<bytes>: elements of 1, 2, 8 or 16 bytes, one a lane, through a tile of 32 x 32 whose element (r, c) lies at column
 * c ^ r: a row and a column of it lie in different banks for each of these widths.  Blocks of 256 threads, x along the columns and y
 * down the rows of `from`, in steps of gridDim.y tiles. */
#include "matrix.cuh"

typedef unsigned long long Size;

extern "C" __global__ void __launch_bounds__(256) copy_words(CopyArgs a)
{
    copy_parts(a);
}

template <typename T> static __device__ __forceinline__ void pass(T *to, const T *from)
{
    *to = *from;
}

/* By its words: clang copies the whole as two halves, and half a vector a lane conflicts in the banks. */
static __device__ __forceinline__ void pass(uint4 *to, const uint4 *from)
{
    uint4 v = {from->x, from->y, from->z, from->w};
    *to     = v;
}

template <typename T>
static __device__ __forceinline__ void transpose(T *to, Size ldt, const T *from, Size ldf, int rows, int columns)
{
    enum { EDGE = 32, STEP = 256 / EDGE };
    __shared__ T tile[EDGE * EDGE];
    int          x = threadIdx.x % EDGE, y = threadIdx.x / EDGE, c0 = blockIdx.x * EDGE;
    for (int r0 = blockIdx.y * EDGE; r0 < rows; r0 += gridDim.y * EDGE) {
        __syncthreads();
        for (int i = y; i < EDGE; i += STEP)
            if (r0 + i < rows && c0 + x < columns)
                pass(&tile[i * EDGE + (x ^ i)], &from[(r0 + i) * ldf + c0 + x]);
        __syncthreads();
        for (int i = y; i < EDGE; i += STEP)
            if (c0 + i < columns && r0 + x < rows)
                pass(&to[(c0 + i) * ldt + r0 + x], &tile[x * EDGE + (i ^ x)]);
    }
}

#define TRANSPOSE(bytes, type)                                                                                         \
    extern "C" __global__ void __launch_bounds__(256)                                                                  \
        copy_transposed_##bytes(type *to, Size ldt, const type *from, Size ldf, int rows, int columns)                 \
    {                                                                                                                  \
        transpose<type>(to, ldt, from, ldf, rows, columns);                                                            \
    }
TRANSPOSE(1, unsigned char)
TRANSPOSE(2, unsigned short)
TRANSPOSE(8, unsigned long long)
TRANSPOSE(16, uint4)
