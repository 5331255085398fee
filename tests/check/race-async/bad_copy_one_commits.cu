/* SPDX-License-Identifier: Apache-2.0 */
/* One thread commits: groups are each thread's own. */
#include "../run.h"
#include "../bulk.h"

#define COPY(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(SHARED(to)), "l"(from) : "memory")
#define COMMIT()       asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n)        asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory")
#define WAIT_ALL()     asm volatile("cp.async.wait_all;" ::: "memory")

__global__ void k(const int *a, int *b)
{
    __shared__ int s[64];
    COPY(&s[threadIdx.x], a + threadIdx.x);
    if (threadIdx.x == 0)
        COMMIT();
    WAIT(0);
    __syncthreads();
    b[threadIdx.x] = s[63 - threadIdx.x]; // expect: race-async
}

int main()
{
    k<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
