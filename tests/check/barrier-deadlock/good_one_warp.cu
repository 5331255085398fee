/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier of one warp alone. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota
#define SYNC(bar, threads)   asm volatile("bar.sync %0, %1;" ::"r"(bar), "r"(threads) : "memory")
#define ARRIVE(bar, threads) asm volatile("bar.arrive %0, %1;" ::"r"(bar), "r"(threads) : "memory")

__global__ void one(int *x)
{
    if (threadIdx.x < 32)
        SYNC(1, 32);
    x[threadIdx.x]++;
}
