/* SPDX-License-Identifier: Apache-2.0 */
/* The address of a shared variable in a store to global memory. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void store(int *o)
{
    __shared__ int s;
    s = 0;
    asm volatile("st.global.u32 [%0], 1;" ::"l"(&s) : "memory"); // expect: wrong-space
    *o = s;
}
