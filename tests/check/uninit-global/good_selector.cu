/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that nobody wrote are not among those that each mode of prmt takes; lop3 takes the written word where a mask says so. */
// check: --grid 1 --block 32 --arg a:u8[128] --arg b:u32[96]=zero

__global__ void pick(unsigned char *a, unsigned *b)
{
    unsigned i = threadIdx.x, d, e, f, w;
    a[4 * i + 2] = a[4 * i + 3] = 5; /* bytes 0 and 1 are nobody's */
    __syncthreads();
    w = *(volatile unsigned *)(a + 4 * i);
    asm("prmt.b32.f4e %0, %1, %2, 2;" : "=r"(d) : "r"(w), "r"(i));
    asm("prmt.b32.rc16 %0, %1, %2, 1;" : "=r"(e) : "r"(w), "r"(i));
    asm("lop3.b32 %0, %1, %2, %3, 0xe2;" : "=r"(f) : "r"(w), "r"(0xffff0000u), "r"(i)); /* (w & mask) | (i & ~mask) */
    b[3 * i]     = d + 1;
    b[3 * i + 1] = e * 3;
    b[3 * i + 2] = f + 2;
}
