/* SPDX-License-Identifier: Apache-2.0 */
/* options: --async late.  The group is committed before the store. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(int *a)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_COMMIT();
        BULK_STORE(a, s, 256); // expect: async-copy // expect: race-async
        BULK_WAIT();
    }
}

int main()
{
    k<<<1, 64>>>(device_array<int>(128));
    return finish();
}
