/* SPDX-License-Identifier: Apache-2.0 */
/* Used before it is initialised. */
// check: --grid 1 --block 32 --arg x:i32[32]=zero
#include "../bulk.h"

__global__ void no_init(int *x)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        BAR_ARRIVE(&bar); // expect: mbarrier
    x[threadIdx.x] = 1;
}
