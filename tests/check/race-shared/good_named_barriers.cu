/* SPDX-License-Identifier: Apache-2.0 */
/* Two warps produce, two consume; named barriers with a count say when a slot is full and when it is empty again. */
#include "../run.h"

__global__ void pipe(int *out, int rounds)
{
    __shared__ int slot[64];
    int lane = threadIdx.x % 64, sum = 0;
    for (int r = 0; r < rounds; r++) {
        if (threadIdx.x < 64) {
            if (r)
                asm volatile("bar.sync 2, 128;" ::: "memory");
            slot[lane] = r * lane;
            asm volatile("bar.arrive 1, 128;" ::: "memory");
        } else {
            asm volatile("bar.sync 1, 128;" ::: "memory");
            sum += slot[63 - lane];
            if (r + 1 < rounds)
                asm volatile("bar.arrive 2, 128;" ::: "memory");
        }
    }
    if (threadIdx.x >= 64)
        out[lane] = sum;
}

int main()
{
    pipe<<<1, 128>>>(device_array<int>(64), 5);
    return finish();
}
