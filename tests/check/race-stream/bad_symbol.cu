/* SPDX-License-Identifier: Apache-2.0 */
/* A table is replaced while a kernel of another stream reads it. */
#include "../run.h"

__device__ int table[64];

__global__ void look(int *a)
{
    a[threadIdx.x] = table[threadIdx.x]; // expect: race-stream
}

int main()
{
    int         *a = device_array<int>(64), *h;
    cudaStream_t s, t;
    cudaMallocHost(&h, sizeof table);
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    look<<<1, 64, 0, s>>>(a);
    cudaMemcpyToSymbolAsync(table, h, sizeof table, 0, cudaMemcpyHostToDevice, t);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return finish();
}
