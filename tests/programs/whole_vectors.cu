/* SPDX-License-Identifier: Apache-2.0
 *
 * A vector access of up to 16 bytes is one for the other blocks: a flag never comes without the value that stands beside it.
 * race counts vary: reads before the first write are not counted
 * slow: half a minute under the race checker */
#include "check.h"

__device__ ulonglong2 cell[3];

/* Forms that compilers write for such pairs: generic addresses, and 4-byte and 8-byte elements. */
__device__ void put(unsigned long long i)
{
    unsigned n = (unsigned)i;
    asm volatile("st.relaxed.gpu.v2.u32 [%0], {%1, %1};" ::"l"(&cell[0]), "r"(n) : "memory");
    asm volatile("st.volatile.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(&cell[1]), "r"(n) : "memory");
    asm volatile("st.relaxed.gpu.v2.u64 [%0], {%1, %1};" ::"l"(&cell[2]), "l"(i) : "memory");
}

__device__ int torn()
{
    unsigned           a, b, c, d, e, f;
    unsigned long long g, h;
    asm volatile("ld.relaxed.gpu.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(&cell[0]) : "memory");
    asm volatile("ld.volatile.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(c), "=r"(d), "=r"(e), "=r"(f) : "l"(&cell[1]) : "memory");
    asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(g), "=l"(h) : "l"(&cell[2]) : "memory");
    return (a != b) | (c != d || d != e || e != f) << 1 | (g != h) << 2;
}

__global__ void k(int rounds, int *found)
{
    if (blockIdx.x == 0)
        for (int i = 0; i < rounds; i++)
            put(i);
    else
        for (int i = 0; i < rounds; i++)
            if (int t = torn())
                atomicOr(found, t);
}

int main()
{
    int *found;
    OK(cudaMallocManaged(&found, sizeof *found));
    *found = 0;
    for (int i = 0; i < 16; i++) {
        k<<<2, 32>>>(20000, found);
        OK(cudaDeviceSynchronize());
    }
    CHECK(*found == 0);
    return passed();
}
