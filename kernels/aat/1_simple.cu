/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A * A^T, one thread per element of C, straight from global memory.
 *
 * Change      none: the starting point.
 * Bottleneck  the second factor.  A warp's lanes are 32 columns of C, so they read 32 rows of A at the same place: a
 *             stride of 4*k bytes, one 32-byte sector per lane, of which 4 bytes are used.  Each step moves 33
 *             sectors, 32 of them for that load; the first factor is one broadcast sector.
 * Measured    H200, m = 8192, k = 32: 8.6418 ms, 31.3 GB/s effective, 0.50 TFLOP/s. */
extern "C" __global__ void aat_simple(const float *a, float *c, int m, int k)
{
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m || col >= m)
        return;
    const float *left  = a + (size_t)row * k;
    const float *right = a + (size_t)col * k;
    float        sum   = 0.0f;
    for (int i = 0; i < k; i++)
        sum += left[i] * right[i];
    c[(size_t)row * m + col] = sum;
}
