/* SPDX-License-Identifier: Apache-2.0 */
/* The next copy into the buffer begins while other threads still read it; the second warp misses its phase. */
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
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x == 0) {
            BAR_EXPECT(&bar, 256);
            BULK_LOAD(s, a + 64 * i, 256, &bar);
        }
        BAR_WAIT(&bar, i & 1); // expect: mbarrier-hang
        b[threadIdx.x + 64 * i] = s[63 - threadIdx.x]; // expect: race-async, other end 18
    }
}

int main()
{
    load<<<1, 64>>>(device_array<int>(256), device_array<int>(256));
    return finish();
}
