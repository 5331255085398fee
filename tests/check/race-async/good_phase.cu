/* SPDX-License-Identifier: Apache-2.0 */
/* The parity changes with each round. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(const int *a, int *b)
{
    __shared__ alignas(128) int s[2][64];
    __shared__ alignas(8) uint64_t bar[2];
    int sum = 0;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar[0], 1);
        BAR_INIT(&bar[1], 1);
        BAR_FENCE();
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (threadIdx.x == 0) {
            BAR_EXPECT(&bar[i % 2], 256);
            BULK_LOAD(s[i % 2], a + i * 64, 256, &bar[i % 2]);
        }
        BAR_WAIT(&bar[i % 2], i / 2 & 1);
        sum += s[i % 2][threadIdx.x];
        __syncthreads();
    }
    b[threadIdx.x] = sum;
}

int main()
{
    k<<<1, 64>>>(device_array<int>(256), device_array<int>(64));
    return finish();
}
