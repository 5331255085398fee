/* SPDX-License-Identifier: Apache-2.0 */
/* The reader arrives at the writer's mbarrier; the writer waits for that before it writes again, and before it exits. */
#include "../run.h"
#include "../bulk.h"

__global__ void __cluster_dims__(2) send(int *b)
{
    __shared__ int s[32];
    __shared__ alignas(8) uint64_t full, empty;
    if (threadIdx.x == 0) {
        BAR_INIT(&full, 32);
        BAR_INIT(&empty, 32);
        BAR_FENCE();
    }
    CLUSTER_RELAXED();
    CLUSTER_WAIT();
    for (int i = 0; i < 3; i++) {
        if (blockIdx.x == 0) {
            if (i > 0)
                BAR_WAIT(&empty, (i - 1) & 1);
            REMOTE(s, 1)[threadIdx.x] = i;
            BAR_ARRIVE_AT(&full, 1);
        } else {
            BAR_WAIT(&full, i & 1);
            b[32 * i + threadIdx.x] = s[31 - threadIdx.x];
            BAR_ARRIVE_AT(&empty, 0);
        }
    }
    if (blockIdx.x == 0)
        BAR_WAIT(&empty, 0);
}

int main()
{
    send<<<2, 32>>>(device_array<int>(96));
    return finish();
}
