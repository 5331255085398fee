/* SPDX-License-Identifier: Apache-2.0 */
/* An atomic of the global space at a shared address. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void add(int *o)
{
    __shared__ int s;
    s = 0;
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(&s) : "memory"); // expect: wrong-space
    *o = s;
}
