/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel launches kernels into cudaStreamTailLaunch: what launches kernels there has ended before they begin. */
#include "../run.h"

__global__ void child(int *a)
{
    a[threadIdx.x]++;
}

__global__ void parent(int *a)
{
    if (threadIdx.x == 0)
        child<<<1, 32, 0, cudaStreamTailLaunch>>>(a);
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    int *a = device_array<int>(64);
    parent<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    return finish();
}
