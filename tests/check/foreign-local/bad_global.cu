/* SPDX-License-Identifier: Apache-2.0 */
/* A table of pointers in global memory, filled by the first block; the second one looks through it. */
#include "../run.h"

struct Entry { const int *values; int n; };

__global__ void share(Entry *table, unsigned *ready, int *out, int k)
{
    int own[4], sum = 0;
    for (int i = 0; i < 4; i++)
        own[(i + k) % 4] = i;
    if (blockIdx.x == 0) {
        table[threadIdx.x].values = own;
        table[threadIdx.x].n      = 4;
        __threadfence();
        atomicAdd(ready, 1);
    } else {
        while (atomicAdd(ready, 0) < blockDim.x) {}
        __threadfence();
        for (int i = 0; i < table[threadIdx.x].n; i++)
            sum += table[threadIdx.x].values[i]; // expect: foreign-local
        out[threadIdx.x] = sum + own[k];
    }
}

int main()
{
    share<<<2, 32>>>(device_array<Entry>(32), device_array<unsigned>(1), device_array<int>(32), 1);
    return finish();
}
