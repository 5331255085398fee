/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A * A^T through shared memory: every global access is coalesced.
 *
 * Change      a block stages 32 x 32 of both factors; the second is read along its rows (coalesced) and stored into
 *             shared memory down its columns, so that the product reads it along rows.
 * Bottleneck  that store: lanes are 32 words apart, all in one bank, so each store takes 32 passes instead of 1.
 * Measured    H200, m = 8192, k = 32: 0.7572 ms, 357.3 GB/s effective, 5.67 TFLOP/s (11 times the simple kernel).
 *
 * Elements outside the matrices are stored as zero, so the product always runs over the whole tile and every thread
 * reaches every barrier. */
enum { TILE = 32 };

extern "C" __global__ void aat_coalesced(const float *a, float *c, int m, int k)
{
    __shared__ float left[TILE][TILE];
    __shared__ float right[TILE][TILE];
    int              tx  = threadIdx.x;
    int              ty  = threadIdx.y;
    int              row = blockIdx.y * TILE + ty;
    int              col = blockIdx.x * TILE + tx;
    int              src = blockIdx.x * TILE + ty; /* the row of A this thread stages for the second factor */
    float            sum = 0.0f;
    for (int t = 0; t < k; t += TILE) {
        int   at = t + tx;
        float l  = 0.0f;
        float r  = 0.0f;
        if (row < m && at < k)
            l = a[(size_t)row * k + at];
        if (src < m && at < k)
            r = a[(size_t)src * k + at];
        left[ty][tx]  = l;
        right[tx][ty] = r;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[ty][i] * right[i][tx];
        __syncthreads();
    }
    if (row < m && col < m)
        c[(size_t)row * m + col] = sum;
}
