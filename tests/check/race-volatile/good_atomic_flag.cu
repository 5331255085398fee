/* SPDX-License-Identifier: Apache-2.0 */
/* A volatile read of a counter that atomics change. */
#include "../run.h"

__global__ void wait(int *n, int *out)
{
    atomicAdd(n, 1);
    while (*(volatile int *)n < (int)gridDim.x)
        ;
    out[blockIdx.x] = 1;
}

int main()
{
    wait<<<4, 1>>>(device_array<int>(1), device_array<int>(4));
    return finish();
}
