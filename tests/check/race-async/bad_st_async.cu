/* SPDX-License-Identifier: Apache-2.0 */
/* Stores to the other block complete at its mbarrier; it reads behind the cluster barrier, which does not wait for them. */
#include "../run.h"
#include "../bulk.h"

__global__ void __cluster_dims__(2) send(int *b)
{
    __shared__ alignas(16) int s[32];
    __shared__ alignas(8) uint64_t bar;
    unsigned other = blockIdx.x ^ 1;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
        BAR_EXPECT(&bar, 128);
    }
    CLUSTER_SYNC();
    ST_ASYNC(&s[threadIdx.x], threadIdx.x, &bar, other);
    CLUSTER_SYNC();
    b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x]; // expect: race-async, other end 17
    BAR_WAIT(&bar, 0);
    CLUSTER_SYNC();
}

int main()
{
    send<<<2, 32>>>(device_array<int>(64));
    return finish();
}
