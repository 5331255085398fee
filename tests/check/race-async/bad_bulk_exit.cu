/* SPDX-License-Identifier: Apache-2.0 */
/* The block exits while the store may still read its shared memory. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(b, s, 256); // expect: race-async
        BULK_COMMIT();
    }
}

int main()
{
    store<<<1, 64>>>(device_array<int>(64));
    return finish();
}
