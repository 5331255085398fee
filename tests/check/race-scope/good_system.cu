/* SPDX-License-Identifier: Apache-2.0 */
/* Scopes wider than needed. */
#include "../run.h"

__global__ void count(int *n)
{
    if (blockIdx.x & 1)
        atomicAdd_system(n, 1);
    else
        atomicAdd(n, 1);
}

int main()
{
    count<<<4, 64>>>(device_array<int>(1));
    return finish();
}
