/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes come to one shuffle at different times. */
// check: --grid 1 --block 32 --arg x:i32[32]=iota

__global__ void late(int *x)
{
    int v = x[threadIdx.x];
    if (threadIdx.x < 16)
        for (int i = 0; i < 10; i++)
            v = v * 3 + x[threadIdx.x];
    x[threadIdx.x] = __shfl_xor_sync(0xffffffff, v, 1);
}
