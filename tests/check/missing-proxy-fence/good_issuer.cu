/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that issues the copy makes the fence, behind a named barrier. */
#include "../run.h"
#include "../bulk.h"

__global__ void store(int *b)
{
    __shared__ alignas(128) int s[64];
    if (threadIdx.x < 64) {
        s[threadIdx.x] = threadIdx.x;
        asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else {
        asm volatile("bar.sync 1, 96;" ::: "memory");
        if (threadIdx.x == 64) {
            FENCE_ASYNC();
            BULK_STORE(b, s, 256);
            BULK_COMMIT();
            BULK_WAIT();
        }
    }
}

int main()
{
    store<<<1, 96>>>(device_array<int>(64));
    return finish();
}
