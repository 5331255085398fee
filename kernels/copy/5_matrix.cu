/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies of matrices of 4-byte elements between leading dimensions, as they are or transposed, and transposed ones of other elements:
 *
 *     copy_strided     to[r * ldt + c] = from[r * ldf + c]
 *     copy_transposed  to[c * ldt + r] = from[r * ldf + c]      r < rows, c < columns
 *
 * Change      a 64 x 64 tile of the transposed copy passes through shared memory, so that both sides move along their rows. A
 *             thread turns a 4 x 4 square in its registers; vector v of the turned tile's row c lies at v ^ (c / 4 % 16):
 *             whole columns are stored and whole rows read, 16 bytes a lane, without a bank conflict or a padding word.
 * Bottleneck  the memory: 8 bytes an element.
 * Measured    docs/kernels.md.
 *
 * Blocks of 256 threads, x along the columns and y down the rows of `from`, in steps of gridDim.y tiles.  aligned: bit 0, the rows of
 * `from` begin on 16 bytes; bit 1, those of `to`.  Any sizes; nothing outside of the two matrices is touched.
 *
 * copy_transposed_<bytes>: elements of 1, 2, 8 or 16 bytes, one a lane, through a tile of 32 x 32 whose element (r, c) lies at column
 * c ^ r: a row and a column of it lie in different banks for each of these widths. */
typedef unsigned long long Size;

enum { SIDE = 64, VECTORS = SIDE / 4 };

/* Elements c to c + 3 of a row; those past its end are zero. */
static __device__ __forceinline__ uint4 row_load(const unsigned *p, int c, int columns, bool aligned)
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

static __device__ __forceinline__ void row_store(unsigned *p, int c, int columns, bool aligned, uint4 v)
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

extern "C" __global__ void __launch_bounds__(256)
    copy_strided(unsigned *to, Size ldt, const unsigned *from, Size ldf, int rows, int columns, int aligned)
{
    int c = blockIdx.x * SIDE + threadIdx.x % VECTORS * 4;
    for (int r0 = blockIdx.y * SIDE + threadIdx.x / VECTORS; r0 < rows; r0 += gridDim.y * SIDE)
#pragma unroll
        for (int r = r0; r < r0 + SIDE; r += SIDE / 4)
            if (r < rows)
                row_store(to + r * ldt, c, columns, aligned & 2, row_load(from + r * ldf, c, columns, aligned & 1));
}

extern "C" __global__ void __launch_bounds__(256)
    copy_transposed(unsigned *to, Size ldt, const unsigned *from, Size ldf, int rows, int columns, int aligned)
{
    __shared__ uint4 turned[SIDE * VECTORS];
    int              x = threadIdx.x % VECTORS, y = threadIdx.x / VECTORS, c0 = blockIdx.x * SIDE;
    for (int r0 = blockIdx.y * SIDE; r0 < rows; r0 += gridDim.y * SIDE) {
        uint4 q[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int r = r0 + y * 4 + i;
            q[i]  = row_load(from + r * ldf, c0 + x * 4, r < rows ? columns : 0, aligned & 1);
        }
        uint4 column[4] = {{q[0].x, q[1].x, q[2].x, q[3].x},
                           {q[0].y, q[1].y, q[2].y, q[3].y},
                           {q[0].z, q[1].z, q[2].z, q[3].z},
                           {q[0].w, q[1].w, q[2].w, q[3].w}};
        __syncthreads(); /* the tile before has been read */
#pragma unroll
        for (int j = 0; j < 4; j++)
            turned[(x * 4 + j) * VECTORS + (y ^ x)] = column[j];
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int c = y * 4 + i;
            if (c0 + c < columns)
                row_store(to + (c0 + c) * ldt, r0 + x * 4, rows, aligned & 2, turned[c * VECTORS + (x ^ y)]);
        }
    }
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
