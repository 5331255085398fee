/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix instruction of a warp that half of its lanes have left. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota

__global__ void left(int *x)
{
    int v = x[threadIdx.x];
    if (v >= 16)
        return;
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(v)); // expect: sync-mask
    x[threadIdx.x] = v;
}
