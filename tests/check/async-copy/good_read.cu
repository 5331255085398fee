/* SPDX-License-Identifier: Apache-2.0 */
/* options: --async late.  The source is read before the block ends; the store itself may take longer. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(int *a)
{
    __shared__ alignas(128) int s[64];
    s[threadIdx.x] = threadIdx.x;
    FENCE_ASYNC();
    __syncthreads();
    if (threadIdx.x == 0) {
        BULK_STORE(a, s, 256);
        BULK_COMMIT();
        BULK_WAIT_READ();
    }
}

int main()
{
    k<<<1, 64>>>(device_array<int>(128));
    return finish();
}
