/* SPDX-License-Identifier: Apache-2.0 */
/* options: --async late.  The second group is left out of the wait. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(int *a)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(a, s, 128);
        BULK_COMMIT();
        BULK_STORE(a + 32, s + 32, 128); // expect: async-copy // expect: race-async
        BULK_COMMIT();
        asm volatile("cp.async.bulk.wait_group 1;" ::: "memory");
    }
}

int main()
{
    k<<<1, 64>>>(device_array<int>(128));
    return finish();
}
