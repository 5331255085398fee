/* SPDX-License-Identifier: Apache-2.0 */
/* The fence stands before the loop, and the tile is written in each round. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    FENCE_ASYNC();
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = threadIdx.x;
        __syncthreads();
        if (threadIdx.x == 0) {
            BULK_STORE(b + 64 * i, s, 256); // expect: missing-proxy-fence, other end 11
            BULK_COMMIT();
            BULK_WAIT_READ();
        }
        __syncthreads();
    }
}

int main()
{
    store<<<1, 64>>>(device_array<int>(192));
    return finish();
}
