/* SPDX-License-Identifier: Apache-2.0 */
/* Two lanes of a warp store different tiles in one instruction, and the places overlap. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[128];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x < 2) {
        BULK_STORE(b + 32 * threadIdx.x, s + 64 * threadIdx.x, 256); // expect: race-async, other end 13
        BULK_COMMIT();
        BULK_WAIT();
    }
}

int main()
{
    store<<<1, 128>>>(device_array<int>(128));
    return finish();
}
