/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  Those that ask come first and wait. */
#include "../run.h"
#include "../bulk.h"

#define INC(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n))
#define DEC(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n))

__global__ void __launch_bounds__(384, 1) k(int *a)
{
    if (threadIdx.x < 256) {
        INC(240);
    } else {
        __nanosleep(10000);
        DEC(24);
    }
    __syncthreads();
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    k<<<1, 384>>>(device_array<int>(384));
    return finish();
}
