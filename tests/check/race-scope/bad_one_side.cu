/* SPDX-License-Identifier: Apache-2.0 */
/* One block counts at device scope, the others at block scope: both must hold the other. */
#include "../run.h"

__global__ void count(int *n)
{
    if (blockIdx.x == 0)
        atomicAdd(n, 1);
    else if (blockIdx.x == 1)
        atomicAdd_block(n, 1); // expect: race-scope, other end 8
}

int main()
{
    count<<<2, 1>>>(device_array<int>(1));
    return finish();
}
