/* SPDX-License-Identifier: Apache-2.0 */
/* The largest count. */
// check: --grid 1 --block 32 --arg n:i32=1048575
#include "../bulk.h"

__global__ void count(int n)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        BAR_INIT(&bar, n);
}
