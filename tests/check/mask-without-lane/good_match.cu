/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes with equal keys form groups, each with a mask of its own. */
#include "../run.h"

__global__ void groups(int *out)
{
    unsigned peers = __match_any_sync(0xffffffff, threadIdx.x / 5);
    __syncwarp(peers);
    out[threadIdx.x] = __popc(peers);
}

int main()
{
    groups<<<1, 32>>>(device_array<int>(32));
    return finish();
}
