/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel reads a constant, and a copy in another stream changes it. */
#include "../run.h"

__constant__ int factor[4];

__global__ void scale(int *a)
{
    a[threadIdx.x] *= factor[2]; // expect: race-stream
}

int main()
{
    int         *a = device_array<int>(32), *h;
    cudaStream_t s, t;
    cudaMallocHost(&h, sizeof factor);
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    for (int i = 0; i < 4; i++)
        h[i] = i;
    cudaDeviceSynchronize();
    scale<<<1, 32, 0, s>>>(a);
    cudaMemcpyToSymbolAsync(factor, h, sizeof factor, 0, cudaMemcpyHostToDevice, t);
    return finish();
}
