/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier of all blocks, of which the card holds 132 at once. */
// check: --grid 133 --block 1024 --shared 200000 --arg count:u32[1]=zero

__global__ void meet(unsigned *count)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < gridDim.x) // expect: endless-wait
            ;
    }
}
