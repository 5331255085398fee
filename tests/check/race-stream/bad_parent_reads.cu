/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that launches kernels reads what its child writes. */
#include "../run.h"

__global__ void child(int *a)
{
    a[threadIdx.x] = threadIdx.x; // expect: race-stream, other end 14
}

__global__ void parent(int *a)
{
    if (threadIdx.x == 0) {
        child<<<1, 32>>>(a);
        a[40] = a[3] + 1;
    }
}

int main()
{
    int *a = device_array<int>(64);
    parent<<<1, 32>>>(a);
    cudaDeviceSynchronize();
    return finish();
}
