/* SPDX-License-Identifier: Apache-2.0 */
/* The address is converted to the space first. */
// check: --grid 1 --block 1 --arg o:i32[1]=zero

__global__ void store(int *o)
{
    __shared__ int s;
    s = 0;
    asm volatile("st.shared.u32 [%0], 1;" ::"r"((unsigned)__cvta_generic_to_shared(&s)) : "memory");
    *o = s;
}
