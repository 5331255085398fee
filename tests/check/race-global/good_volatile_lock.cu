/* SPDX-License-Identifier: Apache-2.0 */
/* Volatile data that are read and written under a lock. */
#include "../run.h"

__global__ void share(volatile int *data, int *lock, int *out)
{
    while (atomicCAS(lock, 0, 1))
        ;
    __threadfence();
    out[blockIdx.x] = data[0];
    data[0]         = blockIdx.x;
    __threadfence();
    atomicExch(lock, 0);
}

int main()
{
    share<<<3, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(3));
    return finish();
}
