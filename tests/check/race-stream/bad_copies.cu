/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of two streams share a column, and a kernel reads what a copy brings: each finding names the host's line that asked for the copy.
 * host lines */
#include "../run.h"

__global__ void use(const char *x, int *out)
{
    out[threadIdx.x] = x[threadIdx.x]; // expect: race-stream, other end 25
}

int main()
{
    char *x, *y = device_array<char>(64), *h;
    int  *out = device_array<int>(64);
    cudaMalloc(&x, 1024);
    cudaMallocHost(&h, 2048);
    cudaDeviceSynchronize();
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaMemcpy2DAsync(x, 32, h, 32, 17, 32, cudaMemcpyHostToDevice, s);
    cudaMemcpy2DAsync(x + 16, 32, h, 32, 16, 32, cudaMemcpyHostToDevice, t); // expect: race-stream, other end 21
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i++)
        cudaMemcpyAsync(y + i, h + i, 1, cudaMemcpyHostToDevice, s);
    use<<<1, 64, 0, t>>>(y, out);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFreeHost(h);
    return finish();
}
