/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes that run a loop less often wait behind it. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota

__global__ void loop(int *x)
{
    int v = x[threadIdx.x];
    for (int i = 0; i < (threadIdx.x < 16 ? 2 : 1); i++)
        v += __shfl_xor_sync(0xffffffff, v, 1); // expect: sync-mask
    asm volatile("bar.warp.sync 0xffffffff;" ::: "memory");
    x[threadIdx.x] = v;
}
