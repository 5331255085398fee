/* SPDX-License-Identifier: Apache-2.0 */
/* A counter and a histogram with atomics, read back through one. */
#include "../run.h"

__global__ void count(int *n, int *bins)
{
    int before = atomicAdd(n, 1);
    atomicAdd(&bins[before % 7], 1);
    if (atomicAdd(&bins[0], 0) > 1000)
        atomicMax(n, 0);
}

int main()
{
    count<<<8, 64>>>(device_array<int>(1), device_array<int>(7));
    return finish();
}
