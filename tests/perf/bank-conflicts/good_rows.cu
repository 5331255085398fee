/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are written and rows are read. */
// check: --grid 8,8 --block 32,8 --arg in:f32[65536]=random --arg out:f32[65536] --arg n:i32=256
__global__ void k(const float *in, float *out, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int i = threadIdx.y; i < 32; i += 8)
        tile[i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32;
    for (int i = threadIdx.y; i < 32; i += 8)
        out[(y + i) * n + x] = tile[i][threadIdx.x];
}
