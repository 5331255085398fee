/* SPDX-License-Identifier: Apache-2.0 */
/* 48 threads are not whole warps. */
// check: --grid 1 --block 64 --arg n:i32=48
#define SYNC(bar, threads)   asm volatile("bar.sync %0, %1;" ::"r"(bar), "r"(threads) : "memory")
#define ARRIVE(bar, threads) asm volatile("bar.arrive %0, %1;" ::"r"(bar), "r"(threads) : "memory")

__global__ void count(int n)
{
    SYNC(1, n); // expect: barrier-count
}
