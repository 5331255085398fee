/* SPDX-License-Identifier: Apache-2.0 */
/* Every lane of a warp issues a bulk store to a place of its own, and all add one tile to another. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b, int *sum)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x < 32) {
        BULK_STORE(b + 64 * threadIdx.x, s, 256);
        BULK_ADD(sum, s, 256);
        BULK_COMMIT();
        BULK_WAIT();
    }
}

int main()
{
    store<<<1, 64>>>(device_array<int>(2048), device_array<int>(64));
    return finish();
}
