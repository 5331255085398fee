/* SPDX-License-Identifier: Apache-2.0 */
/* The tile is written again when the store has read it, its result read when the store is complete; two stores may add to one place. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b, int *sum, int *c)
{
    __shared__ alignas(128) int s[64];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = i;
        FENCE_ASYNC();
        __syncthreads();
        if (threadIdx.x == 0) {
            BULK_STORE(b + 64 * i + 192 * blockIdx.x, s, 256);
            BULK_ADD(sum, s, 256);
            BULK_COMMIT();
            BULK_WAIT_READ();
        }
        __syncthreads();
    }
    if (threadIdx.x == 0)
        BULK_WAIT();
    __syncthreads();
    c[threadIdx.x + 64 * blockIdx.x] = b[192 * blockIdx.x + 191 - threadIdx.x];
}

int main()
{
    store<<<4, 64>>>(device_array<int>(768), device_array<int>(64), device_array<int>(256));
    return finish();
}
