/* SPDX-License-Identifier: Apache-2.0 */
/* A block that lives through thousands of fences counts with atomics of its own scope. */
#include "../run.h"

__global__ void count(int *n)
{
    for (int i = 0; i < 4000; i++) {
        atomicAdd_block(n + blockIdx.x, 1);
        __threadfence_block();
    }
}

int main()
{
    count<<<2, 64>>>(device_array<int>(2));
    return finish();
}
