/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  A bulk copy that takes out what cp.async brought, each thread having fenced for its own. */
#include "../run.h"
#include "../bulk.h"

__global__ void move(const uint4 *a, uint4 *out)
{
    __shared__ alignas(128) uint4 s[64];
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(SHARED(s + threadIdx.x)), "l"(a + threadIdx.x) : "memory");
    asm volatile("cp.async.wait_all;" ::: "memory");
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(out, s, 1024);
        BULK_COMMIT();
        BULK_WAIT();
    }
}

int main()
{
    move<<<1, 64>>>(device_array<uint4>(64), device_array<uint4>(64));
    return finish();
}
