/* SPDX-License-Identifier: Apache-2.0 */
/* In a function that the kernel calls. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#include <cassert>

__device__ __noinline__ int checked(int v)
{
    assert(v >= 0); // expect: assert
    return v;
}

__global__ void helper(int *x)
{
    x[threadIdx.x] = checked(x[threadIdx.x] - 1);
}
