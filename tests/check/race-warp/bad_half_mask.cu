/* SPDX-License-Identifier: Apache-2.0 */
/* Each half of the warp synchronises on its own, and then reads the other half's elements. */
#include "../run.h"

__global__ void halves(int *out)
{
    __shared__ int s[32];
    unsigned half = threadIdx.x < 16 ? 0x0000ffff : 0xffff0000;
    s[threadIdx.x] = threadIdx.x;
    __syncwarp(half);
    out[threadIdx.x] = s[31 - threadIdx.x]; // expect: race-warp, other end 9
}

int main()
{
    halves<<<1, 32>>>(device_array<int>(32));
    return finish();
}
