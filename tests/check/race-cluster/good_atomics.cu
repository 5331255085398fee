/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram that the blocks of a cluster keep together. */
#include "../run.h"
#include "../bulk.h"

__global__ void __cluster_dims__(2) histogram(int *b)
{
    __shared__ int s[32];
    if (threadIdx.x < 32)
        s[threadIdx.x] = 0;
    CLUSTER_SYNC();
    int bin = threadIdx.x * 7 % 64;
    atomicAdd(&REMOTE(s, bin / 32)[bin % 32], 1);
    CLUSTER_SYNC();
    if (threadIdx.x < 32)
        b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

int main()
{
    histogram<<<2, 128>>>(device_array<int>(64));
    return finish();
}
