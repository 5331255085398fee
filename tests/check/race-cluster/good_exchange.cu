/* SPDX-License-Identifier: Apache-2.0 */
/* Shared and global memory exchanged across cluster barriers, one of them split. */
#include "../run.h"
#include "../bulk.h"

__global__ void __cluster_dims__(4) exchange(int *a, int *b)
{
    __shared__ int s[64];
    unsigned next = (blockIdx.x & 3) == 3 ? blockIdx.x - 3 : blockIdx.x + 1;
    s[threadIdx.x]                      = blockIdx.x;
    a[blockIdx.x * 64 + threadIdx.x]    = threadIdx.x;
    CLUSTER_SYNC();
    int sum = REMOTE(s, next & 3)[63 - threadIdx.x] + a[next * 64 + 63 - threadIdx.x];
    CLUSTER_ARRIVE();
    b[blockIdx.x * 64 + threadIdx.x] = sum;
    CLUSTER_WAIT();
    s[threadIdx.x] = 0;
    a[blockIdx.x * 64 + threadIdx.x] = 0;
}

int main()
{
    exchange<<<8, 64>>>(device_array<int>(512), device_array<int>(512));
    return finish();
}
