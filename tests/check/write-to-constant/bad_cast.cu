/* SPDX-License-Identifier: Apache-2.0 */
/* A constant table written through a cast. */
// check: --grid 1 --block 4 --arg o:i32[4]=zero

__constant__ int table[4] = {1, 2, 3, 4};
__global__ void set(int *o)
{
    o[threadIdx.x] = table[threadIdx.x];
    int *p = (int *)table;
    asm volatile("" : "+l"(p)); // else the compiler sees it
    p[threadIdx.x] = 1; // expect: write-to-constant
}
