/* SPDX-License-Identifier: Apache-2.0 */
/* The leader of those who are here says something to them. */
#include "../run.h"

__global__ void broadcast(int *out)
{
    unsigned mask = __ballot_sync(0xffffffff, threadIdx.x > 4);
    if (threadIdx.x > 4)
        out[threadIdx.x] = __shfl_sync(mask, (int)threadIdx.x, __ffs(mask) - 1);
}

int main()
{
    broadcast<<<1, 32>>>(device_array<int>(32));
    return finish();
}
