/* SPDX-License-Identifier: Apache-2.0 */
/* A table in global memory may be written. */
// check: --grid 1 --block 4 --arg o:i32[4]=zero

__device__ int table[4] = {1, 2, 3, 4};
__global__ void set(int *o)
{
    o[threadIdx.x] = table[threadIdx.x];
    table[threadIdx.x] = 1;
}
