/* SPDX-License-Identifier: Apache-2.0 */
/* Recursion that does not end. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__device__ __noinline__ int deep(int n, volatile int *o)
{
    return n == 1 << 30 ? 0 : 1 + deep(n + 1, o) + *o; // expect: stack-overflow
}
__global__ void start(int *o)
{
    *o = deep(0, o);
}
