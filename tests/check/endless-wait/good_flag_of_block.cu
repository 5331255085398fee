/* SPDX-License-Identifier: Apache-2.0 */
/* All blocks wait for a flag that the last one sets. */
// check: --grid 3 --block 32 --arg flag:u32[1]=zero --arg out:u32[96]=zero

__global__ void wait(unsigned *flag, unsigned *out)
{
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
        atomicExch(flag, 1);
    while (!atomicAdd(flag, 0))
        ;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
