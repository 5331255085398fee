/* SPDX-License-Identifier: Apache-2.0 */
/* The address of a local variable in a store to global memory. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void store(int *o)
{
    int l = 0;
    asm volatile("st.global.u32 [%0], 1;" ::"l"(&l) : "memory"); // expect: wrong-space
    *o = l;
}
