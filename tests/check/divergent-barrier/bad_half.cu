/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier that half of the warp goes around. */
#include "../run.h"

__global__ void half(int *out)
{
    int v = out[threadIdx.x];
    if (threadIdx.x % 32 < 16) {
        v++;
        __syncthreads(); // expect: divergent-barrier
        v += out[64];
    }
    out[threadIdx.x] = v;
}

int main()
{
    half<<<1, 64>>>(device_array<int>(65));
    return finish();
}
