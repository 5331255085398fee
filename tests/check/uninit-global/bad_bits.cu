/* SPDX-License-Identifier: Apache-2.0 */
/* A member of a word is set and another one, in bytes that nobody wrote, is used. */
// check: --grid 1 --block 32 --arg a:u32[32] --arg b:u32[32]=zero

struct Packed { unsigned low : 5, middle : 11, high : 16; };

__global__ void set(Packed *a, unsigned *b)
{
    volatile Packed *p = a + threadIdx.x;
    p->low         = threadIdx.x; // expect: uninit-global
    b[threadIdx.x] = p->high + 1;
}
