/* SPDX-License-Identifier: Apache-2.0 */
/* Registers that held what nobody wrote get new values: of a barrier that counts, of a matrix load, of another load. */
// check: --grid 1 --block 32 --arg a:u32[32] --arg b:u32[96]=zero

__global__ void again(const unsigned *a, unsigned *b)
{
    __shared__ alignas(16) unsigned tile[32];
    unsigned i = threadIdx.x, counted, row, first;
    tile[i]    = i;
    __syncthreads();
    asm volatile("{ .reg .pred p; .reg .u32 t; ld.global.u32 t, [%1]; setp.lt.u32 p, %2, 7;\n"
                 "barrier.cta.red.popc.aligned.u32 t, 0, p; mov.u32 %0, t; }"
                 : "=r"(counted)
                 : "l"(a + i), "r"(i));
    asm volatile("{ .reg .u32 t; ld.global.u32 t, [%1]; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {t}, [%2]; mov.u32 %0, t; }"
                 : "=r"(row)
                 : "l"(a + i), "r"((unsigned)__cvta_generic_to_shared(&tile[i % 8 * 4])));
    asm volatile("{ .reg .u32 t, u, v, w; ld.global.u32 t, [%1]; ld.shared.v4.u32 {t, u, v, w}, [%2]; mov.u32 %0, t; }"
                 : "=r"(first)
                 : "l"(a + i), "r"((unsigned)__cvta_generic_to_shared(&tile[i % 8 * 4])));
    b[3 * i]     = counted + 1;
    b[3 * i + 1] = row + 1;
    b[3 * i + 2] = first + 1;
}
