/* SPDX-License-Identifier: Apache-2.0 */
/* Only the first warp makes the fence, before it knows of what the second wrote. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x; // the second warp's half
    if (threadIdx.x < 32)
        FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(b, s, 256); // expect: missing-proxy-fence, other end 9
        BULK_COMMIT();
        BULK_WAIT();
    }
}

int main()
{
    store<<<1, 64>>>(device_array<int>(64));
    return finish();
}
