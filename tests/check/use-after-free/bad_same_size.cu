/* SPDX-License-Identifier: Apache-2.0 */
/* The pointer was freed, and another allocation of the same size was made since. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1; // expect: use-after-free
}

int main()
{
    int *p = device_array<int>(32);
    cudaFree(p);
    int *q = device_array<int>(32);
    set<<<1, 32>>>(p);
    cudaDeviceSynchronize();
    cudaFree(q);
    return finish();
}
