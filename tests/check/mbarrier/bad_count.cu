/* SPDX-License-Identifier: Apache-2.0 */
/* A count of zero. */
// check: --grid 1 --block 32 --arg n:i32=0
#include "../bulk.h"

__global__ void count(int n)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        BAR_INIT(&bar, n); // expect: mbarrier
}
