/* SPDX-License-Identifier: Apache-2.0 */
/* Used after it was invalidated. */
// check: --grid 1 --block 32 --arg x:i32[32]=zero
#include "../bulk.h"

__global__ void inval(int *x)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(SHARED(&bar)) : "memory");
        BAR_ARRIVE(&bar); // expect: mbarrier
    }
    x[threadIdx.x] = 1;
}
