/* SPDX-License-Identifier: Apache-2.0 */
/* The lane that held the value has returned. */
#include "../run.h"

__global__ void first(int *out)
{
    int v = out[threadIdx.x];
    if (threadIdx.x == 0)
        return;
    out[threadIdx.x] = __shfl_sync(0xfffffffe, v, 0); // expect: shuffle-source
}

int main()
{
    first<<<1, 32>>>(device_array<int>(32));
    return finish();
}
