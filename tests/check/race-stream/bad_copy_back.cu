/* SPDX-License-Identifier: Apache-2.0 */
/* The result is copied in another stream than the one it is computed in. */
#include "../run.h"

__global__ void scale(int *a)
{
    a[threadIdx.x] *= 2; // expect: race-stream
}

int main()
{
    int         *a = device_array<int>(64), *h;
    cudaStream_t s, t;
    cudaMallocHost(&h, 64 * sizeof(int));
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    scale<<<1, 64, 0, s>>>(a);
    cudaMemcpyAsync(h, a, 64 * sizeof(int), cudaMemcpyDeviceToHost, t);
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return finish();
}
