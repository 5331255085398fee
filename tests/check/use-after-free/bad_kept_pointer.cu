/* SPDX-License-Identifier: Apache-2.0 */
/* A pointer kept in device memory outlives its allocation. */
#include "../run.h"

__device__ int *kept;
__global__ void keep(int *p)
{
    kept = p;
}
__global__ void use()
{
    atomicAdd(kept, 1); // expect: use-after-free
}

int main()
{
    int *p = device_array<int>(32);
    keep<<<1, 1>>>(p);
    finish();
    cudaFree(p);
    use<<<1, 1>>>();
    return finish();
}
