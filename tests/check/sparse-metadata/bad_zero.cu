/* SPDX-License-Identifier: Apache-2.0 */
/* Metadata of zero: place 0 twice. */
// check: --grid 1 --block 32 --arg o:f32[32] --arg meta:u32=0
#define PRODUCT(meta)                                                                                                  \
    asm volatile("mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %4}, {%4, %4}, "          \
                 "{%0, %1, %2, %3}, %5, 0x0;"                                                                          \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                                      \
                 : "r"(0x3c003c00), "r"(meta))

__global__ void product(float *o, unsigned meta)
{
    float d[4] = {};
    PRODUCT(meta); // expect: sparse-metadata
    o[threadIdx.x] = d[0];
}
