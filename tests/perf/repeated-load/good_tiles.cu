/* SPDX-License-Identifier: Apache-2.0 */
/* The product by shared tiles: a block loads each element once. */
// check: --grid 4,4 --block 16,16 --arg a:f32[4096]=random --arg b:f32[4096]=random --arg c:f32[4096] --arg n:i32=64
__global__ void k(const float *a, const float *b, float *c, int n)
{
    __shared__ float s[16][16], t[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
    float sum = 0;
    for (int i = 0; i < n; i += 16) {
        s[threadIdx.y][threadIdx.x] = a[row * n + i + threadIdx.x];
        t[threadIdx.y][threadIdx.x] = b[(i + threadIdx.y) * n + column];
        __syncthreads();
        for (int j = 0; j < 16; j++)
            sum += s[threadIdx.y][j] * t[j][threadIdx.x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
