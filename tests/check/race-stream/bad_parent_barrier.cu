/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier of a kernel that launches kernels is none for its child. */
#include "../run.h"

__global__ void child(int *a)
{
    a[threadIdx.x] = threadIdx.x; // expect: race-stream, other end 15
}

__global__ void parent(int *a)
{
    if (threadIdx.x == 0)
        child<<<1, 32>>>(a);
    __syncthreads();
    a[threadIdx.x + 32] = a[threadIdx.x];
}

int main()
{
    int *a = device_array<int>(64);
    parent<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    return finish();
}
