/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A * A^T through shared memory, with a swizzled tile.
 *
 * Change      no pad: element (i, j) of the second tile lives in column i ^ j of row i.  Down a column (the store)
 *             and along a row (the product) the XOR runs through all 32 banks, and the tile stays a power of two.
 * Bottleneck  as the padded kernel, with an exclusive-or for every step of the product in place of 128 bytes of pad.
 * Measured    not on the H200 (that run predates this kernel); the counts are those of the padded kernel.
 *
 * Elements outside the matrices are stored as zero, so the product always runs over the whole tile and every thread
 * reaches every barrier. */
enum { TILE = 32 };

extern "C" __global__ void aat_swizzled(const float *a, float *c, int m, int k)
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
        left[ty][tx]       = l;
        right[tx][ty ^ tx] = r;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[ty][i] * right[i][tx ^ i];
        __syncthreads();
    }
    if (row < m && col < m)
        c[(size_t)row * m + col] = sum;
}
