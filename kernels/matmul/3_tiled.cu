/* SPDX-License-Identifier: Apache-2.0
 *
 * C = A * B through shared memory: each block computes one TILE x TILE part of C from tiles of A and B.
 *
 * Change      every element of A and B is read from global memory once for each tile of C that needs it, coalesced; the
 *             product reads shared memory (A's tile as broadcasts, B's along rows).
 * Bottleneck  two shared loads for every multiplication.
 * Measured    H200, 1920 x 1024 by 1024 x 1280: tile 16 0.6264 ms, 8.04 TFLOP/s; tile 32 0.5540 ms, 9.09 TFLOP/s
 *             (cublasSgemm of CUDA 13.0 on the same card: 0.2094 ms).  Tile 8 was not measured.
 *
 * Rows are lda, ldb and ldc elements apart.  Elements outside the matrices are stored as zero, so the product always
 * runs over the whole tile and every thread reaches every barrier. */
template <int TILE>
static __device__ __forceinline__ void multiply(const float *a, const float *b, float *c, int m, int n, int k, int lda,
                                                int ldb, int ldc)
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
            l = a[(size_t)row * lda + t + tx];
        if (t + ty < k && col < n)
            r = b[(size_t)(t + ty) * ldb + col];
        left[ty][tx]  = l;
        right[ty][tx] = r;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++)
            sum += left[ty][i] * right[i][tx];
        __syncthreads();
    }
    if (row < m && col < n)
        c[(size_t)row * ldc + col] = sum;
}

extern "C" __global__ void matmul_v2_tile8(const float *a, const float *b, float *c, int m, int n, int k, int lda,
                                           int ldb, int ldc)
{
    multiply<8>(a, b, c, m, n, k, lda, ldb, ldc);
}

extern "C" __global__ void matmul_v2_tile16(const float *a, const float *b, float *c, int m, int n, int k, int lda,
                                            int ldb, int ldc)
{
    multiply<16>(a, b, c, m, n, k, lda, ldb, ldc);
}

extern "C" __global__ void matmul_v2_tile32(const float *a, const float *b, float *c, int m, int n, int k, int lda,
                                            int ldb, int ldc)
{
    multiply<32>(a, b, c, m, n, k, lda, ldb, ldc);
}
