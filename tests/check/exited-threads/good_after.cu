/* SPDX-License-Identifier: Apache-2.0 */
/* Threads return behind the last barrier. */
#include "../run.h"

__global__ void last(int *a)
{
    __shared__ int s[64];
    s[threadIdx.x] = a[threadIdx.x];
    __syncthreads();
    if (threadIdx.x & 1)
        return;
    a[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    last<<<1, 64>>>(device_array<int>(64));
    return finish();
}
