/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer is given back, and read once more. */
#include "../run.h"

__global__ void share(volatile int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        out[0] = data[0];
        __threadfence();
        atomicExch(flag, 1);
        out[1] = data[0];
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        __threadfence(), data[0] = 1; // expect: race-global, other end 11
    }
}

int main()
{
    share<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(2));
    return finish();
}
