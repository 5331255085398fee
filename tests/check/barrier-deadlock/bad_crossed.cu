/* SPDX-License-Identifier: Apache-2.0 */
/* Two barriers in another order. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#define SYNC(bar, threads)   asm volatile("bar.sync %0, %1;" ::"r"(bar), "r"(threads) : "memory")
#define ARRIVE(bar, threads) asm volatile("bar.arrive %0, %1;" ::"r"(bar), "r"(threads) : "memory")

__global__ void crossed(int *x)
{
    int first = threadIdx.x < 32 ? 1 : 2;
    SYNC(first, 64); // expect: barrier-deadlock
    SYNC(3 - first, 64);
    x[threadIdx.x]++;
}
