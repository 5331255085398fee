/* SPDX-License-Identifier: Apache-2.0 */
/* A block waits for a flag that no block sets. */
// check: --grid 2 --block 32 --arg flag:u32[1]=zero --arg out:u32[64]=zero

__global__ void wait(unsigned *flag, unsigned *out)
{
    while (!atomicAdd(flag, 0)) // expect: endless-wait
        ;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
