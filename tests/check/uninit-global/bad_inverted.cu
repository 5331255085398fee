/* SPDX-License-Identifier: Apache-2.0 */
/* The highest byte was never written; every bit of the word is turned round. */
// check: --grid 1 --block 32 --arg a:u8[128] --arg b:u32[32]=zero

__global__ void invert(unsigned char *a, unsigned *b)
{
    unsigned i = threadIdx.x;
    a[4 * i] = a[4 * i + 1] = a[4 * i + 2] = 1;
    __syncthreads();
    b[i] = ~*(volatile unsigned *)(a + 4 * i); // expect: uninit-global
}
