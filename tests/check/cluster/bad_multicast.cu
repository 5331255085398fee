/* SPDX-License-Identifier: Apache-2.0 */
/* A copy to a block that the cluster does not have. */
// check: --grid 2 --block 32 --cluster 2 --arg x:i32[128]=iota --arg to:i32=7
#include "../bulk.h"

__global__ void spread(int *x, int to)
{
    __shared__ alignas(16) int tile[32];
    __shared__ uint64_t        bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
        BAR_EXPECT(&bar, 128);
    }
    CLUSTER_SYNC();
    if (threadIdx.x == 0 && blockIdx.x == 0)
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], 128, [%2], %3;"
                     ::"r"(SHARED(tile)), "l"(x), "r"(SHARED(&bar)), "h"(static_cast<short>(to)) : "memory"); // expect: cluster
    BAR_WAIT(&bar, 0);
    x[64 + blockIdx.x * 32 + threadIdx.x] = tile[threadIdx.x] + 1;
    CLUSTER_SYNC();
}
