/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of other threads' variables are compared and never used; a function gets the thread's own. */
#include "../run.h"

__device__ __noinline__ int sum(const int *p, int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        s += p[i];
    return s;
}

__global__ void look(int *out, int k)
{
    __shared__ const int *first;
    int                   own[8];
    for (int i = 0; i < 8; i++)
        own[(i + k) % 8] = i;
    if (threadIdx.x == 0)
        first = own;
    __syncthreads();
    out[threadIdx.x] = first == own ? sum(own, 8) : 0;
}

int main()
{
    look<<<1, 64>>>(device_array<int>(64), 3);
    return finish();
}
