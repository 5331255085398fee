/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier of as many blocks as the card holds at once. */
// check: --grid 132 --block 1024 --shared 200000 --arg count:u32[1]=zero

__global__ void meet(unsigned *count)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(count, 1);
        while (atomicAdd(count, 0) < gridDim.x)
            ;
    }
}
