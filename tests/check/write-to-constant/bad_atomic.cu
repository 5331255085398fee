/* SPDX-License-Identifier: Apache-2.0 */
/* An atomic on a constant. */
// check: --grid 1 --block 4 --arg o:i32[4]=zero

__constant__ int counter;
__global__ void count(int *o)
{
    o[threadIdx.x] = 1;
    int *p = &counter;
    asm volatile("" : "+l"(p)); // else the compiler sees it
    atomicAdd(p, 1); // expect: write-to-constant
}
