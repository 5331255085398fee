/* SPDX-License-Identifier: Apache-2.0 */
/* An mbarrier that counts one arrival too few: its phase completes without the last thread, whose value is read all the same. */
#include "../run.h"

__global__ void reverse(int *out)
{
    __shared__ __align__(8) unsigned long long bar;
    __shared__ int                             x[64];
    unsigned at = (unsigned)__cvta_generic_to_shared(&bar), done = 0, t = threadIdx.x;
    if (t == 0)
        asm volatile("mbarrier.init.shared.b64 [%0], 63;" ::"r"(at) : "memory");
    __syncthreads();
    x[t] = t;
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory");
    while (!done)
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(at)
                     : "memory");
    out[t] = x[63 - t]; // expect: race-shared, other end 13
}

int main()
{
    reverse<<<1, 64>>>(device_array<int>(64));
    return finish();
}
