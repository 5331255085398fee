/* SPDX-License-Identifier: Apache-2.0 */
/* A constant table that is read. */
// check: --grid 1 --block 4 --arg o:i32[4]=zero

__constant__ int table[4] = {1, 2, 3, 4};
__global__ void get(int *o)
{
    o[threadIdx.x] = table[threadIdx.x];
}
