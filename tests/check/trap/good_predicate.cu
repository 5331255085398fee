/* SPDX-License-Identifier: Apache-2.0 */
/* A trap under a predicate that is false in every lane. */
// check: --grid 1 --block 64 --arg x:i32[64]=iota

__global__ void predicate(const int *x)
{
    asm volatile("{.reg .pred p; setp.gt.s32 p, %0, 63; @p trap;}" ::"r"(x[threadIdx.x]));
}
