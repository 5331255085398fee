/* SPDX-License-Identifier: Apache-2.0 */
/* A ring of two buffers: full when the copy has arrived, empty when every thread has read it. */
#include "../run.h"
#include "../bulk.h"

__global__ void load(const int *a, int *b)
{
    __shared__ alignas(128) int s[2][64];
    __shared__ alignas(8) uint64_t full[2], empty[2];
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++) {
            BAR_INIT(&full[i], 1);
            BAR_INIT(&empty[i], 64);
        }
        BAR_FENCE();
    }
    __syncthreads();
    if (threadIdx.x == 64)
        for (int i = 0; i < 6; i++) {
            if (i > 1)
                BAR_WAIT(&empty[i & 1], (i / 2 - 1) & 1);
            BAR_EXPECT(&full[i & 1], 256);
            BULK_LOAD(s[i & 1], a + 64 * i, 256, &full[i & 1]);
        }
    if (threadIdx.x < 64)
        for (int i = 0; i < 6; i++) {
            BAR_WAIT(&full[i & 1], i / 2 & 1);
            b[threadIdx.x + 64 * i] = s[i & 1][63 - threadIdx.x];
            BAR_ARRIVE(&empty[i & 1]);
        }
}

int main()
{
    load<<<1, 96>>>(device_array<int>(384), device_array<int>(384));
    return finish();
}
