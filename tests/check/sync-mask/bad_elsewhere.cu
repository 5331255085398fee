/* SPDX-License-Identifier: Apache-2.0 */
/* The other half waits at another shuffle. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota

__global__ void halves(int *x)
{
    if (threadIdx.x < 16)
        x[threadIdx.x] = __shfl_xor_sync(0xffffffff, x[threadIdx.x], 1);
    else
        __syncwarp(); // expect: sync-mask
}
