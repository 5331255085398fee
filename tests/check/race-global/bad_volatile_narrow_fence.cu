/* SPDX-License-Identifier: Apache-2.0 */
/* Volatile data behind a flag, and a fence whose scope is the block, between blocks. */
#include "../run.h"

__global__ void hand_over(volatile int *data, int *flag, int *out)
{
    if (blockIdx.x == 0) {
        data[0] = 42;
        __threadfence_block();
        atomicExch(flag, 1);
    } else {
        while (atomicAdd(flag, 0) == 0)
            ;
        *out = data[0]; // expect: race-global, other end 8
    }
}

int main()
{
    hand_over<<<2, 1>>>(device_array<int>(1), device_array<int>(1), device_array<int>(1));
    return finish();
}
