/* SPDX-License-Identifier: Apache-2.0 */
/* Recursion that ends soon. */
// check: --grid 1 --block 32 --arg o:i32[32]=zero

__device__ __noinline__ int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}
__global__ void start(int *o)
{
    o[threadIdx.x] = fib(threadIdx.x % 8);
}
