/* SPDX-License-Identifier: Apache-2.0 */
/* A block polls another's flag with a load whose scope is the block. */
#include "../run.h"

__global__ void poll(int *flag, int *out)
{
    if (blockIdx.x == 0) {
        atomicExch(flag, 1);
    } else {
        int v;
        asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(v) : "l"(flag) : "memory"); // expect: race-scope, other end 8
        *out = v;
    }
}

int main()
{
    poll<<<2, 1>>>(device_array<int>(1), device_array<int>(1));
    return finish();
}
