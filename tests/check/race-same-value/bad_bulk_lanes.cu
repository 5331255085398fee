/* SPDX-License-Identifier: Apache-2.0 */
/* Every lane of a warp issues the very same bulk store, of which one would do. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x < 32) {
        BULK_STORE(b + 64 * blockIdx.x, s, 256); // expect: race-same-value, other end 13
        BULK_COMMIT();
        BULK_WAIT();
    }
}

int main()
{
    store<<<2, 64>>>(device_array<int>(128));
    return finish();
}
