/* SPDX-License-Identifier: Apache-2.0 */
/* Producers and consumers with a named barrier that says "full", and none that says "empty". */
#include "../run.h"

__global__ void pipe(int *out, int rounds)
{
    __shared__ int slot[64];
    int lane = threadIdx.x % 64, sum = 0;
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x < 64) {
            slot[lane] = r * lane;
            asm volatile("bar.sync 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += slot[63 - lane]; // expect: race-shared, other end 11
        }
    }
    if (threadIdx.x >= 64)
        out[lane] = sum;
}

int main()
{
    pipe<<<1, 128>>>(device_array<int>(64), 3);
    return finish();
}
