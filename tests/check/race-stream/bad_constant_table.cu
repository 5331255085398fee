/* SPDX-License-Identifier: Apache-2.0 */
/* A table of constants is copied in one stream, and a kernel in another one looks something up in it. */
#include "../run.h"

__constant__ int table[32];

__device__ __noinline__ int look_up(int i)
{
    return table[i]; // expect: race-stream
}

__global__ void map(int *a)
{
    a[threadIdx.x] = look_up(a[threadIdx.x] & 31);
}

int main()
{
    int         *a = device_array<int>(32), *h;
    cudaStream_t s, t;
    cudaMallocHost(&h, sizeof table);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    for (int i = 0; i < 32; i++)
        h[i] = i;
    cudaDeviceSynchronize();
    cudaMemcpyToSymbolAsync(table, h, sizeof table, 0, cudaMemcpyHostToDevice, t);
    map<<<1, 32, 0, s>>>(a);
    return finish();
}
