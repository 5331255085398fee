/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel gets a pointer that was freed. */
#include "../run.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1; // expect: use-after-free
}

int main()
{
    int *p = device_array<int>(32);
    cudaFree(p);
    set<<<1, 32>>>(p);
    return finish();
}
