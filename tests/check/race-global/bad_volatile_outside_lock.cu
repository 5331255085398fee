/* SPDX-License-Identifier: Apache-2.0 */
/* Everybody reads under the lock; one writes when it has let go of it. */
#include "../run.h"

__global__ void share(volatile int *data, int *lock, int *out)
{
    while (atomicCAS(lock, 0, 1))
        ;
    __threadfence();
    out[blockIdx.x] = data[0];
    __threadfence();
    atomicExch(lock, 0);
    if (blockIdx.x == 0)
        data[0] = 1; // expect: race-global, other end 10
}

int main()
{
    share<<<3, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(3));
    return finish();
}
