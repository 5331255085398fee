/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that launches kernels writes on where its child reads. */
#include "../run.h"

__global__ void child(int *a)
{
    a[threadIdx.x + 32] = a[threadIdx.x]; // expect: race-stream, other end 16
}

__global__ void parent(int *a)
{
    a[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(a);
        a[3] = 2;
    }
}

int main()
{
    int *a = device_array<int>(64);
    parent<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    return finish();
}
