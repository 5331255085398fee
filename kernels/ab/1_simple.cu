/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A * B, one thread per element of C, straight from global memory: the twin of aat/1_simple.cu.
 *
 * Change      none: the starting point of this family.
 * Bottleneck  number of loads: the second factor is coalesced (4 sectors), the first a broadcast (1), both again for
 *             every step of every warp.
 * Measured    H200, m = n = 8192, k = 32: 0.6702 ms, 403.6 GB/s effective, 6.41 TFLOP/s (13 times aat's simple
 *             kernel). */
extern "C" __global__ void ab_simple(const float *a, const float *b, float *c, int m, int n, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= n)
        return;
    const float *left  = a + (size_t)row * k;
    const float *right = b + col;
    float        sum   = 0.0f;
    for (int i = 0; i < k; i++)
        sum += left[i] * right[(size_t)i * n];
    c[(size_t)row * n + col] = sum;
}
