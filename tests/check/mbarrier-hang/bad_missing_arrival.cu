/* SPDX-License-Identifier: Apache-2.0 */
/* Two arrivals are counted, and one thread arrives. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(const int *a, int *b)
{
    __shared__ alignas(128) int s[128];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 2);
        BAR_FENCE();
    }
    __syncthreads();
    s[threadIdx.x] = a[threadIdx.x];
    if (threadIdx.x == 0)
        BAR_ARRIVE(&bar);
    BAR_WAIT(&bar, 0); // expect: mbarrier-hang
    b[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    k<<<1, 64>>>(device_array<int>(256), device_array<int>(64));
    return finish();
}
