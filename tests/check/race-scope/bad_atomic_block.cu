/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks count with atomics whose scope is the block. */
#include "../run.h"

__global__ void count(int *n)
{
    atomicAdd_block(n, 1); // expect: race-scope, other end 7
}

int main()
{
    count<<<4, 32>>>(device_array<int>(1));
    return finish();
}
