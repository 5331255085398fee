/* SPDX-License-Identifier: Apache-2.0 */
/* Two warps want different counts of one barrier. */
// check: --grid 1 --block 64 --arg n:i32=64
#define SYNC(bar, threads)   asm volatile("bar.sync %0, %1;" ::"r"(bar), "r"(threads) : "memory")
#define ARRIVE(bar, threads) asm volatile("bar.arrive %0, %1;" ::"r"(bar), "r"(threads) : "memory")

__global__ void counts(int n)
{
    SYNC(1, threadIdx.x < 32 ? n : n + 32); // expect: barrier-count
}
