/* SPDX-License-Identifier: Apache-2.0 */
/* A vector store to a constant. */
// check: --grid 1 --block 1 --arg o:i32[4]=zero

__constant__ int4 table[2];
__global__ void set(int *o)
{
    *o = table[0].x;
    asm volatile("st.v4.u32 [%0], {1, 1, 1, 1};" ::"l"(&table[1]) : "memory"); // expect: write-to-constant
}
