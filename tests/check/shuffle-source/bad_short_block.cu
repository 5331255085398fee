/* SPDX-License-Identifier: Apache-2.0 */
/* A block of 24 threads sums as if it had 32. */
#include "../run.h"

__global__ void sum(int *out)
{
    int v = out[threadIdx.x];
    for (int n = 16; n; n /= 2)
        v += __shfl_down_sync(0xffffffff, v, n); // expect: shuffle-source
    if (threadIdx.x == 0)
        out[0] = v;
}

int main()
{
    sum<<<1, 24>>>(device_array<int>(32));
    return finish();
}
