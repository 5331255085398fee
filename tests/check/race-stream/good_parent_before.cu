/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that launches kernels has written what its children read, and uses other memory behind the launches; they are in order. */
#include "../run.h"

__global__ void child(int *a)
{
    a[threadIdx.x]++;
}

__global__ void parent(int *a)
{
    a[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(a);
        child<<<1, 32>>>(a);
    }
    a[threadIdx.x + 32] = 1;
}

int main()
{
    int *a = device_array<int>(64);
    parent<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    return finish();
}
