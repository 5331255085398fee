/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs reduce; an odd lane names the pair behind its own. */
#include "../run.h"

__global__ void pairs(int *out)
{
    unsigned mask = 3u << threadIdx.x;
    if (threadIdx.x & 1)
        mask = 3u << (threadIdx.x + 1 & 31);
    else
        mask |= 1u << threadIdx.x;
    out[threadIdx.x] = __any_sync(mask, out[threadIdx.x] == 0); // expect: mask-without-lane
}

int main()
{
    pairs<<<1, 32>>>(device_array<int>(32));
    return finish();
}
