/* SPDX-License-Identifier: Apache-2.0 */
/* Each phase is brought on before it is waited for, and after everybody has seen the one before: who looked two phases late would wait for ever. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(const int *a, int *b)
{
    __shared__ alignas(128) int s[128];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
    }
    __syncthreads();
    for (int round = 0; round < 2; round++) {
        if (threadIdx.x == 0) {
            BAR_EXPECT(&bar, 256);
            BULK_LOAD(s + round * 64, a, 256, &bar);
        }
        BAR_WAIT(&bar, round);
        __syncthreads();
    }
    b[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    k<<<1, 64>>>(device_array<int>(256), device_array<int>(64));
    return finish();
}
