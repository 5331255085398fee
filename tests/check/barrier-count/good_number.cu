/* SPDX-License-Identifier: Apache-2.0 */
/* The last barrier. */
// check: --grid 1 --block 64 --arg bar:i32=15
#define SYNC(bar, threads)   asm volatile("bar.sync %0, %1;" ::"r"(bar), "r"(threads) : "memory")
#define ARRIVE(bar, threads) asm volatile("bar.arrive %0, %1;" ::"r"(bar), "r"(threads) : "memory")

__global__ void number(int bar)
{
    SYNC(bar, 64);
}
