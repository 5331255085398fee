/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes leave a loop at different times and meet before the barrier. */
#include "../run.h"

__global__ void joined(int *out)
{
    __shared__ int s[64];
    int v = 0;
    for (int i = 0; i < (int)threadIdx.x % 7; i++)
        v += i * v + 1;
    s[threadIdx.x] = v;
    __syncthreads();
    out[threadIdx.x] = s[63 - threadIdx.x];
}

int main()
{
    joined<<<1, 64>>>(device_array<int>(64));
    return finish();
}
