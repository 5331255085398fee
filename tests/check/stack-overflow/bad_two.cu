/* SPDX-License-Identifier: Apache-2.0 */
/* Two functions that call each other for ever. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__device__ __noinline__ int odd(int n, volatile int *o);
__device__ __noinline__ int even(int n, volatile int *o)
{
    return n == -1 ? 1 : odd(n + 1, o) + *o; // expect: stack-overflow
}
__device__ __noinline__ int odd(int n, volatile int *o)
{
    return n == -1 ? 0 : even(n + 1, o) + *o;
}
__global__ void start(int *o)
{
    *o = even(0, o);
}
