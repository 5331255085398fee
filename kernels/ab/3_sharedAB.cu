/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A * B with both factors in shared memory.
 *
 * Change      B's tile is staged too: every element is read from global memory once a block.
 * Bottleneck  two shared loads for every multiplication.
 * Measured    H200, m = n = 8192, k = 32: 0.5450 ms, 496.4 GB/s effective, 7.88 TFLOP/s: as aat's padded kernel.
 *
 * Elements outside the matrices are stored as zero, so the product always runs over the whole tile and every thread
 * reaches every barrier. */
enum { TILE = 32 };

extern "C" __global__ void ab_sharedAB(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float left[TILE][TILE];
    __shared__ float right[TILE][TILE];
    int              tx  = threadIdx.x;
    int              ty  = threadIdx.y;
    int              row = blockIdx.y * TILE + ty;
    int              col = blockIdx.x * TILE + tx;
    float            sum = 0.0f;
    for (int t = 0; t < k; t += TILE) {
        float l = 0.0f;
        float r = 0.0f;
        if (row < m && t + tx < k)
            l = a[(size_t)row * k + t + tx];
        if (t + ty < k && col < n)
            r = b[(size_t)(t + ty) * n + col];
        left[ty][tx]  = l;
        right[ty][tx] = r;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[ty][i] * right[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * n + col] = sum;
}
