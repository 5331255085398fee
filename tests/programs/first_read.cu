/* SPDX-License-Identifier: Apache-2.0
 *
 * Who comes first decides how often a race is counted, and nothing else of the report: with one worker thread block 0 writes before block 1 reads, with
 * several block 1 mostly reads while block 0 still computes.
 * race counts vary: of two accesses that race the one that comes second is counted */
#include "check.h"

__device__ volatile int place, sink;

__global__ void k()
{
    if (blockIdx.x) {
        sink = place;
        return;
    }
    unsigned n = 0;
    for (int i = 0; i < 300000; i++)
        asm volatile("add.u32 %0, %0, 1;" : "+r"(n));
    if (threadIdx.x == 0)
        place = (int)n;
}

int main()
{
    k<<<2, 32>>>();
    OK(cudaDeviceSynchronize());
    return passed();
}
