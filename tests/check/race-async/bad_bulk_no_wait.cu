/* SPDX-License-Identifier: Apache-2.0 */
/* Only the thread that issued the bulk copy waits for it. */
#include "../run.h"
#include "../bulk.h"

__global__ void load(const int *a, int *b)
{
    __shared__ alignas(128) int s[64];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        BAR_EXPECT(&bar, 256);
        BULK_LOAD(s, a, 256, &bar);
        BAR_WAIT(&bar, 0);
    }
    b[threadIdx.x] = s[threadIdx.x]; // expect: race-async, other end 17
}

int main()
{
    load<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
