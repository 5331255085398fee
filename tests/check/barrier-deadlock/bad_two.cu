/* SPDX-License-Identifier: Apache-2.0 */
/* Each warp waits at another barrier. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#define SYNC(bar, threads)   asm volatile("bar.sync %0, %1;" ::"r"(bar), "r"(threads) : "memory")
#define ARRIVE(bar, threads) asm volatile("bar.arrive %0, %1;" ::"r"(bar), "r"(threads) : "memory")

__global__ void two(int *x)
{
    if (threadIdx.x < 32)
        SYNC(1, 64); // expect: barrier-deadlock
    else
        SYNC(2, 64);
    x[threadIdx.x]++;
}
