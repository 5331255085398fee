/* SPDX-License-Identifier: Apache-2.0 */
/* A global address in a store to global memory. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void store(int *o)
{
    asm volatile("st.global.u32 [%0], 1;" ::"l"(o) : "memory");
}
