/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel writes to mapped memory that another stream copies from. */
#include "../run.h"

__global__ void produce(int *h)
{
    h[threadIdx.x] = threadIdx.x; // expect: race-stream
}

int main()
{
    int         *a = device_array<int>(64), *h;
    cudaStream_t s, t;
    cudaMallocHost(&h, 64 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    produce<<<1, 64, 0, s>>>(h);
    cudaMemcpyAsync(a, h, 64 * sizeof(int), cudaMemcpyHostToDevice, t);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return finish();
}
