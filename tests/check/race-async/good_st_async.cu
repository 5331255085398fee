/* SPDX-License-Identifier: Apache-2.0 */
/* Who reads what st.async wrote has waited for the mbarrier where it completes. */
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
    BAR_WAIT(&bar, 0);
    b[blockIdx.x * 32 + threadIdx.x] = s[threadIdx.x];
}

int main()
{
    send<<<2, 32>>>(device_array<int>(64));
    return finish();
}
