/* SPDX-License-Identifier: Apache-2.0 */
/* The tile is written again before the store has read it. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i; // expect: race-async, other end 14
        FENCE_ASYNC();
        __syncthreads();
        if (threadIdx.x == 0) {
            BULK_STORE(b + 64 * i, s, 256);
            BULK_COMMIT();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        BULK_WAIT_READ();
}

int main()
{
    store<<<1, 64>>>(device_array<int>(192));
    return finish();
}
