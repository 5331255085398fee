/* SPDX-License-Identifier: Apache-2.0 */
/* The members of a word are set one after the other: the rest of the word, which nobody wrote yet, only passes through. */
// check: --grid 1 --block 32 --arg a:u32[32] --arg b:u32[32]=zero

struct Packed { unsigned low : 5, middle : 11, high : 16; };

__global__ void set(Packed *a, unsigned *b)
{
    volatile Packed *p = a + threadIdx.x;
    p->low    = threadIdx.x;
    p->middle = threadIdx.x * 3;
    p->high   = 9;
    b[threadIdx.x] = p->low + 1;
}
