/* SPDX-License-Identifier: Apache-2.0 */
/* A tile by columns and a row for each thread: the program behind transpose.json. */
#include <cstdio>
__global__ void transpose(const float *in, float *out, int n)
{
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
    for (int i = threadIdx.y; i < 32; i += 8)
        tile[i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32;
    for (int i = threadIdx.y; i < 32; i += 8)
        out[(y + i) * n + x] = tile[threadIdx.x][i];
}
__global__ void columns(const float *in, float *out, int n)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 0;
    for (int k = 0; k < n; k++)
        s += in[r * n + k];
    out[r] = s;
}
int main()
{
    int n = 256;
    float *a, *b;
    cudaMalloc(&a, n * n * 4); cudaMalloc(&b, n * n * 4);
    cudaMemset(a, 0, n * n * 4);
    transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(a, b, n);
    columns<<<n / 64, 64>>>(a, b, n);
    cudaDeviceSynchronize();
    puts(cudaGetErrorString(cudaGetLastError()));
}
