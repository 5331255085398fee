/* SPDX-License-Identifier: Apache-2.0 */
/* Each half names itself. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota

__global__ void halves(int *x)
{
    if (threadIdx.x < 16)
        x[threadIdx.x] = __shfl_xor_sync(0x0000ffff, x[threadIdx.x], 1);
    else
        __syncwarp(0xffff0000);
}
