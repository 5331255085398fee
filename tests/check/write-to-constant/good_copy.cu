/* SPDX-License-Identifier: Apache-2.0 */
/* A copy of a constant may be written. */
// check: --grid 1 --block 4 --arg o:i32[4]=zero

__constant__ int table[4] = {1, 2, 3, 4};
__global__ void set(int *o)
{
    int mine[4];
    for (int i = 0; i < 4; i++)
        mine[i] = table[i] + 1;
    o[threadIdx.x] = mine[threadIdx.x];
}
