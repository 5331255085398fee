/* SPDX-License-Identifier: Apache-2.0 */
/* All lanes vote, with a mask that leaves lane 0 out. */
#include "../run.h"

__global__ void vote(unsigned *out)
{
    out[threadIdx.x] = __ballot_sync(0xfffffffe, threadIdx.x & 1); // expect: mask-without-lane
}

int main()
{
    vote<<<1, 32>>>(device_array<unsigned>(32));
    return finish();
}
