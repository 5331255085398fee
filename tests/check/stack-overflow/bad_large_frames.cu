/* SPDX-License-Identifier: Apache-2.0 */
/* Deep recursion with large frames. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__device__ __noinline__ int deep(int n, volatile int *o)
{
    volatile int a[2048];
    a[n] = n;
    return n == 100 ? 0 : a[n] + deep(n + 1, o) + *o; // expect: stack-overflow
}
__global__ void start(int *o)
{
    *o = deep(0, o);
}
