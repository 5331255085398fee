/* SPDX-License-Identifier: Apache-2.0 */
/* A function keeps the address of its own array in shared memory, and the caller writes through it. */
#include "../run.h"

struct Table { int *values; int n; };

__device__ __noinline__ int fill(Table *t, int n)
{
    int a[16];
    for (int i = 0; i < 16; i++)
        a[(i * n) & 15] = i;
    t->values = a;
    t->n      = 16;
    return a[n & 15];
}

__global__ void keep(int *out, int n)
{
    __shared__ Table table[32];
    int              first = fill(&table[threadIdx.x], n);
    if (threadIdx.x < 5)
        table[threadIdx.x].values[first] = n; // expect: use-after-free
    out[threadIdx.x] = first;
}

int main()
{
    keep<<<1, 32>>>(device_array<int>(32), 3);
    return finish();
}
