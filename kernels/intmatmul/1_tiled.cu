/* SPDX-License-Identifier: Apache-2.0
 *
 * C (m x k) = A (m x n) * B (n x k) in 32-bit integers that wrap, through shared memory, for any m, n and k.
 *
 * Change      against matmul/3_tiled.cu: integers, dense rows.  Elements outside the matrices are stored as zero;
 *             the tile loop runs over ceil(n / TILE) tiles and every thread reaches every barrier.
 * Bottleneck  two shared loads for every multiplication, as in float.
 * Measured    H200, 1920 x 1024 by 1024 x 1280: tile 16 0.6263 ms (8.04 tera-operations a second); 4096 cubed: tile 32
 *             15.4270 ms (8.91).  Tile 8 was not measured. */
template <int TILE>
static __device__ __forceinline__ void multiply(const int *a, const int *b, int *c, int m, int n, int k)
{
    __shared__ int left[TILE][TILE];
    __shared__ int right[TILE][TILE];
    int            tx  = threadIdx.x;
    int            ty  = threadIdx.y;
    int            row = blockIdx.y * TILE + ty;
    int            col = blockIdx.x * TILE + tx;
    unsigned       sum = 0; /* unsigned: wrapping is meant */
    for (int t = 0; t < n; t += TILE) {
        int l = 0;
        int r = 0;
        if (row < m && t + tx < n)
            l = a[(size_t)row * n + t + tx];
        if (t + ty < n && col < k)
            r = b[(size_t)(t + ty) * k + col];
        left[ty][tx]  = l;
        right[ty][tx] = r;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += (unsigned)left[ty][i] * (unsigned)right[i][tx];
        __syncthreads();
    }
    if (row < m && col < k)
        c[(size_t)row * k + col] = (int)sum;
}

extern "C" __global__ void int_matmul_tile8(const int *a, const int *b, int *c, int m, int n, int k)
{
    multiply<8>(a, b, c, m, n, k);
}

extern "C" __global__ void int_matmul_tile16(const int *a, const int *b, int *c, int m, int n, int k)
{
    multiply<16>(a, b, c, m, n, k);
}

extern "C" __global__ void int_matmul_tile32(const int *a, const int *b, int *c, int m, int n, int k)
{
    multiply<32>(a, b, c, m, n, k);
}
