/* SPDX-License-Identifier: Apache-2.0 */
/* One lane too many runs __syncwarp() with the mask of the lower half. */
#include "../run.h"

__global__ void half(int *out)
{
    unsigned lower = 0x0000ffff;
    if (threadIdx.x <= 16) {
        out[threadIdx.x] = 1;
        __syncwarp(lower); // expect: mask-without-lane
    }
}

int main()
{
    half<<<1, 32>>>(device_array<int>(32));
    return finish();
}
