/* SPDX-License-Identifier: Apache-2.0 */
/* wait_group.read says that the source was read, not that the destination is written. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b, int *c)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(b, s, 256);
        BULK_COMMIT();
        BULK_WAIT_READ();
    }
    __syncthreads();
    c[threadIdx.x] = b[63 - threadIdx.x]; // expect: race-async, other end 13
}

int main()
{
    store<<<1, 64>>>(device_array<int>(64), device_array<int>(64));
    return finish();
}
