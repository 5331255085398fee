/* SPDX-License-Identifier: Apache-2.0 */
/* In a function that the kernel calls. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

__device__ __noinline__ int root(int v)
{
    if (v < 0)
        __trap(); // expect: trap
    return v / 2;
}

__global__ void helper(int *x)
{
    x[threadIdx.x] = root(x[threadIdx.x] - 1);
}
