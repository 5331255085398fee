/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A * B with the first factor in shared memory.
 *
 * Change      A's tile is read once, coalesced, and then broadcast from shared memory.
 * Bottleneck  B: still one coalesced global load for every step of every warp, as in 1_simple.cu.
 * Measured    H200, m = n = 8192, k = 32: 0.7591 ms, 356.4 GB/s effective, 5.66 TFLOP/s: slower than 1_simple.cu, whose
 *             broadcast of A the L1 cache serves as well, without the barriers.
 *
 * The last, incomplete tile has its own loop, so that no row of B outside the matrix is read. */
enum { TILE = 32 };

extern "C" __global__ void ab_sharedA(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float left[TILE][TILE];
    int              tx     = threadIdx.x;
    int              ty     = threadIdx.y;
    int              row    = blockIdx.y * TILE + ty;
    int              col    = blockIdx.x * TILE + tx;
    bool             inside = row < m && col < n;
    float            sum    = 0.0f;
    for (int t = 0; t < k; t += TILE) {
        float l = 0.0f;
        if (row < m && t + tx < k)
            l = a[(size_t)row * k + t + tx];
        left[ty][tx] = l;
        __syncthreads();
        const float *right = b + (size_t)t * n + col;
        if (inside && t + TILE <= k) {
#pragma unroll
            for (int i = 0; i < TILE; i++)
                sum += left[ty][i] * right[(size_t)i * n];
        } else if (inside) {
            for (int i = 0; i < k - t; i++)
                sum += left[ty][i] * right[(size_t)i * n];
        }
        __syncthreads();
    }
    if (inside)
        c[(size_t)row * n + col] = sum;
}
