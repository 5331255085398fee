/* SPDX-License-Identifier: Apache-2.0 */
/* Each writer makes the fence, then the barrier. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    for (int i = 0; i < 3; i++) {
        s[threadIdx.x] = threadIdx.x;
        FENCE_ASYNC();
        __syncthreads();
        if (threadIdx.x == 0) {
            BULK_STORE(b + 64 * i, s, 256);
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
