/* SPDX-License-Identifier: Apache-2.0 */
/* The mask comes from a vote of those who then take part. */
#include "../run.h"

__global__ void some(int *out)
{
    bool     in   = threadIdx.x % 3 == 0;
    unsigned mask = __ballot_sync(0xffffffff, in);
    if (in)
        out[threadIdx.x] = __popc(__ballot_sync(mask, out[threadIdx.x] == 0));
}

int main()
{
    some<<<1, 32>>>(device_array<int>(32));
    return finish();
}
