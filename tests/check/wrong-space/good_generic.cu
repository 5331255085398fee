/* SPDX-License-Identifier: Apache-2.0 */
/* A generic store finds the space itself. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void store(int *o)
{
    __shared__ int s;
    s = 0;
    asm volatile("st.u32 [%0], 1;" ::"l"(&s) : "memory");
    *o = s;
}
