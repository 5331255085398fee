/* SPDX-License-Identifier: Apache-2.0 */
/* What shuffles bring is an element's number, or the lane's own address. */
#include "../run.h"

__device__ __noinline__ int at(const int *p, int k)
{
    return p[k];
}

__global__ void look(int *out, int k)
{
    int own[1024];
    for (int i = 0; i < 1024; i++)
        own[(i + k) % 1024] = i + (int)threadIdx.x;
    int  n = __shfl_sync(0xffffffffu, 512 + k - 3, 0); /* as large as half an address */
    int *p = (int *)__shfl_sync(0xffffffffu, (unsigned long long)own, threadIdx.x);
    out[threadIdx.x] = at(own, n) + at(p, k) + p[n];
}

int main()
{
    look<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
