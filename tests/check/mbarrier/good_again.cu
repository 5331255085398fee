/* SPDX-License-Identifier: Apache-2.0 */
/* Initialised again after it was invalidated. */
// check: --grid 1 --block 32 --arg x:i32[32]=zero
#include "../bulk.h"

__global__ void again(int *x)
{
    __shared__ uint64_t bar;
    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++) {
            BAR_INIT(&bar, 1);
            BAR_ARRIVE(&bar);
            BAR_WAIT(&bar, 0);
            asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(SHARED(&bar)) : "memory");
        }
    x[threadIdx.x] = 1;
}
