/* SPDX-License-Identifier: Apache-2.0 */
/* The same reduction through registers: nothing in memory to race for. */
#include "../run.h"

__global__ void reduce(float *a)
{
    float v = a[threadIdx.x];
    for (int n = 16; n; n /= 2)
        v += __shfl_down_sync(0xffffffff, v, n);
    if (threadIdx.x == 0)
        a[0] = v;
}

int main()
{
    reduce<<<1, 32>>>(device_array<float>(32));
    return finish();
}
