/* SPDX-License-Identifier: Apache-2.0 */
/* A block reads what the other writes, and no cluster barrier stands between. */
#include "../run.h"
#include "../bulk.h"

__global__ void __cluster_dims__(2) exchange(int *b)
{
    __shared__ int s[32];
    s[threadIdx.x] = blockIdx.x;
    __syncthreads();
    b[blockIdx.x * 32 + threadIdx.x] = REMOTE(s, blockIdx.x ^ 1)[threadIdx.x]; // expect: race-cluster, other end 9
    CLUSTER_SYNC();
}

int main()
{
    exchange<<<2, 32>>>(device_array<int>(64));
    return finish();
}
