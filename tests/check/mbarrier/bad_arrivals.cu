/* SPDX-License-Identifier: Apache-2.0 */
/* More arrivals in one phase than it expects. */
// check: --grid 1 --block 32 --arg x:i32[32]=zero
#include "../bulk.h"

__global__ void arrivals(int *x)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 2);
        asm volatile("mbarrier.arrive.shared.b64 _, [%0], 3;" ::"r"(SHARED(&bar)) : "memory"); // expect: mbarrier
    }
    x[threadIdx.x] = 1;
}
