/* SPDX-License-Identifier: Apache-2.0 */
/* Block-scope atomics on a counter of the block's own. */
#include "../run.h"

__global__ void count(int *n)
{
    atomicAdd_block(&n[blockIdx.x], 1);
}

int main()
{
    count<<<4, 64>>>(device_array<int>(4));
    return finish();
}
