/* SPDX-License-Identifier: Apache-2.0 */
/* One lane of each warp tells the mbarrier, but does not know whether the other lanes have waited. */
#include "../run.h"
#include "../bulk.h"

#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(to)), "l"(from) : "memory")
#define COMMIT()       asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)        asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")

__global__ void k(const int *a, int *b)
{
    __shared__ int s[64];
    __shared__ unsigned long long bar;
    if (threadIdx.x == 0)
        BAR_INIT(&bar, 2);
    __syncthreads();
    COPY(&s[threadIdx.x], a + threadIdx.x);
    COMMIT();
    WAIT(0);
    if (threadIdx.x % 32 == 0)
        BAR_ARRIVE(&bar);
    BAR_WAIT(&bar, 0);
    b[threadIdx.x] = s[63 - threadIdx.x]; // expect: race-async
}

int main()
{
    k<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
