/* SPDX-License-Identifier: Apache-2.0 */
/* A lock: taken with a compare-and-swap and a fence, given back with a fence and an exchange. */
#include "../run.h"

__global__ void add(int *lock, int *value)
{
    if (threadIdx.x)
        return;
    while (atomicCAS(lock, 0, 1))
        ;
    __threadfence();
    value[0] += 1;
    value[1] = value[0] * 2;
    __threadfence();
    atomicExch(lock, 0);
}

int main()
{
    add<<<8, 32>>>(device_array<int>(1), device_array<int>(2));
    return finish();
}
