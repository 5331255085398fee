/* SPDX-License-Identifier: Apache-2.0 */
/* arch: 90a.  Nobody gives up any. */
#include "../run.h"
#include "../bulk.h"

#define INC(n) asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(n))
#define DEC(n) asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(n))

__global__ void __launch_bounds__(384, 1) k(int *a)
{
    INC(232); // expect: setmaxnreg
    __syncthreads();
    a[threadIdx.x] = threadIdx.x;
}

int main()
{
    k<<<1, 384>>>(device_array<int>(384));
    return finish();
}
