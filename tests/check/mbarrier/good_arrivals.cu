/* SPDX-License-Identifier: Apache-2.0 */
/* As many as it expects, twice. */
// check: --grid 1 --block 32 --arg x:i32[32]=zero
#include "../bulk.h"

__global__ void arrivals(int *x)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        BAR_INIT(&bar, 32);
    __syncwarp();
    for (int i = 0; i < 2; i++) {
        BAR_ARRIVE(&bar);
        BAR_WAIT(&bar, i);
    }
    x[threadIdx.x] = 1;
}
