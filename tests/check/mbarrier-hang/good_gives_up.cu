/* SPDX-License-Identifier: Apache-2.0 */
/* Nobody arrives, and who looks gives up. */
#include "../run.h"
#include "../bulk.h"

__global__ void k(const int *a, int *b)
{
    __shared__ alignas(128) int s[128];
    __shared__ alignas(8) uint64_t bar;
    if (threadIdx.x == 0) {
        BAR_INIT(&bar, 1);
        BAR_FENCE();
    }
    __syncthreads();
    unsigned over = 0;
    for (int look = 0; look < 100 && !over; look++)
        asm volatile("{\n.reg .pred p;\nmbarrier.test_wait.parity.shared.b64 p, [%1], 0;\nselp.u32 %0, 1, 0, p;\n}"
                     : "=r"(over)
                     : "r"(SHARED(&bar))
                     : "memory");
    s[threadIdx.x] = over;
    b[threadIdx.x] = s[threadIdx.x];
}

int main()
{
    k<<<1, 64>>>(device_array<int>(256), device_array<int>(64));
    return finish();
}
