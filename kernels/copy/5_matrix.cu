/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of matrices of 4-byte elements between leading dimensions (matrix.cuh), and transposed copies of other elements.
 *
 * Change      both sides of a transposed copy move along their rows, 16 bytes a lane.
 * Bottleneck  the memory: 8 bytes an element.
 * Measured    docs/kernels.md.
 *
 * copy_transposed_<bytes>: elements of 1, 2, 8 or 16 bytes.  Where every row of both sides begins on 16 bytes, a thread turns a square of as many
 * rows as a vector has elements in its registers, and tiles pass through shared memory as those of words do.  Elsewhere, and at the edges, one
 * element a lane, through tiles of 32 x 32 whose element (r, c) lies at column c ^ r: a row and a column of it lie in different banks for
 * each of these widths.  x along the columns and y down the rows of `from`, in steps of gridDim.y tiles. */
#include "matrix.cuh"

typedef unsigned long long Size;

extern "C" __global__ void __launch_bounds__(256, 4) copy_words(CopyArgs a)
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

/* Bytes of a and b by their numbers, four bits each, the lowest first. */
static __device__ __forceinline__ unsigned pick_bytes(unsigned a, unsigned b, unsigned numbers)
{
    unsigned v;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(v) : "r"(a), "r"(b), "r"(numbers));
    return v;
}

/* Vector c of a square of elements of BYTES, turned. */
template <int BYTES> struct Square;
template <> struct Square<16> {
    static __device__ __forceinline__ uint4 turned(const uint4 *q, int) { return q[0]; }
};
template <> struct Square<8> {
    static __device__ __forceinline__ uint4 turned(const uint4 *q, int c)
    {
        uint4 low = {q[0].x, q[0].y, q[1].x, q[1].y}, high = {q[0].z, q[0].w, q[1].z, q[1].w};
        return c ? high : low;
    }
};

static __device__ __forceinline__ unsigned word_of(uint4 v, int i)
{
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

template <> struct Square<2> {
    static __device__ __forceinline__ unsigned pair(const uint4 *q, int c)
    {
        return pick_bytes(word_of(q[0], c / 2), word_of(q[1], c / 2), c % 2 ? 0x7632 : 0x5410);
    }
    static __device__ __forceinline__ uint4 turned(const uint4 *q, int c)
    {
        uint4 v = {pair(q, c), pair(q + 2, c), pair(q + 4, c), pair(q + 6, c)};
        return v;
    }
};

template <> struct Square<1> {
    static __device__ __forceinline__ unsigned four(const uint4 *q, int c)
    {
        unsigned which = c % 4 * 0x11 + 0x40, w = c / 4;
        return pick_bytes(pick_bytes(word_of(q[0], w), word_of(q[1], w), which), pick_bytes(word_of(q[2], w), word_of(q[3], w), which),
                          0x5410);
    }
    static __device__ __forceinline__ uint4 turned(const uint4 *q, int c)
    {
        uint4 v = {four(q, c), four(q + 4, c), four(q + 8, c), four(q + 12, c)};
        return v;
    }
};

/* The whole tile at (r0, c0): X threads across and as many down, squares of V x V elements. */
template <typename T, int X>
static __device__ __forceinline__ void turn_whole(T *to, Size ldt, const T *from, Size ldf, int r0, int c0, uint4 *tile)
{
    enum { V = 16 / sizeof(T) };
    int   x = threadIdx.x % X, y = threadIdx.x / X;
    uint4 q[V];
#pragma unroll
    for (int i = 0; i < V; i++)
        q[i] = *(const uint4 *)(from + (r0 + y * V + i) * ldf + c0 + x * V);
    __syncthreads();
#pragma unroll
    for (int c = 0; c < V; c++)
        tile[(x * V + c) * X + (y ^ x)] = Square<sizeof(T)>::turned(q, c);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < V; i++)
        pass((uint4 *)(to + (c0 + y * V + i) * ldt + r0 + x * V), &tile[(y * V + i) * X + (x ^ y)]);
}

/* 32 x 32 at (r0, c0), as far as it is there. */
template <typename T, int THREADS>
static __device__ __forceinline__ void turn_elements(T *to, Size ldt, const T *from, Size ldf, int rows, int columns, int r0, int c0, T *tile)
{
    enum { EDGE = 32, STEP = THREADS / EDGE };
    int x = threadIdx.x % EDGE, y = threadIdx.x / EDGE;
    __syncthreads();
    for (int i = y; i < EDGE; i += STEP)
        if (r0 + i < rows && c0 + x < columns)
            pass(&tile[i * EDGE + (x ^ i)], &from[(r0 + i) * ldf + c0 + x]);
    __syncthreads();
    for (int i = y; i < EDGE; i += STEP)
        if (c0 + i < columns && r0 + x < rows)
            pass(&to[(c0 + i) * ldt + r0 + x], &tile[x * EDGE + (i ^ x)]);
}

template <typename T, int X, int EDGES, int THREADS>
static __device__ __forceinline__ void transpose(T *to, Size ldt, const T *from, Size ldf, int rows, int columns, int aligned)
{
    enum { SIDE_E = X ? X * 16 / (int)sizeof(T) : 32, WHOLE = X * X * 16 / sizeof(T), LEAST = 32 * 32 * sizeof(T) / 16 };
    __shared__ uint4 tile[WHOLE > LEAST ? WHOLE : LEAST];
    int              c0 = blockIdx.x * SIDE_E;
    for (int r0 = blockIdx.y * SIDE_E; r0 < rows; r0 += gridDim.y * SIDE_E)
        if (X && aligned && r0 + SIDE_E <= rows && c0 + SIDE_E <= columns)
            turn_whole<T, X ? X : 1>(to, ldt, from, ldf, r0, c0, tile);
        else
            for (int e = 0; e < EDGES * EDGES; e++)
                turn_elements<T, THREADS>(to, ldt, from, ldf, rows, columns, r0 + e / EDGES * 32, c0 + e % EDGES * 32, (T *)tile);
}

/* X: threads across a whole tile; 0: always one element a lane. */
#define TRANSPOSE(bytes, type, x, edges, threads)                                                                      \
    extern "C" __global__ void __launch_bounds__(threads)                                                              \
        copy_transposed_##bytes(type *to, Size ldt, const type *from, Size ldf, int rows, int columns, int aligned)    \
    {                                                                                                                  \
        transpose<type, x, edges, threads>(to, ldt, from, ldf, rows, columns, aligned);                                \
    }
TRANSPOSE(1, unsigned char, 8, 4, 64)
TRANSPOSE(2, unsigned short, 16, 4, 256)
TRANSPOSE(8, unsigned long long, 16, 1, 256)
TRANSPOSE(16, uint4, 0, 1, 256)
