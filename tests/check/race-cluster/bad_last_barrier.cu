/* SPDX-License-Identifier: Apache-2.0 */
/* The other block may have exited when its shared memory is read: the last cluster barrier is missing. */
#include "../run.h"
#include "../bulk.h"

__global__ void __cluster_dims__(2) exchange(int *b)
{
    __shared__ int s[32];
    s[threadIdx.x] = blockIdx.x;
    CLUSTER_SYNC();
    b[blockIdx.x * 32 + threadIdx.x] = REMOTE(s, blockIdx.x ^ 1)[threadIdx.x]; // expect: race-cluster
}

int main()
{
    exchange<<<2, 32>>>(device_array<int>(64));
    return finish();
}
