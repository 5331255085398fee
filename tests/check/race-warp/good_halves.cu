/* SPDX-License-Identifier: Apache-2.0 */
/* Each half of the warp keeps to itself: both name their own mask in one and the same instruction. */
#include "../run.h"

__global__ void halves(int *out)
{
    __shared__ int s[32];
    unsigned half = threadIdx.x < 16 ? 0x0000ffff : 0xffff0000;
    s[threadIdx.x] = threadIdx.x;
    __syncwarp(half);
    out[threadIdx.x] = s[threadIdx.x ^ 15];
}

int main()
{
    halves<<<1, 32>>>(device_array<int>(32));
    return finish();
}
