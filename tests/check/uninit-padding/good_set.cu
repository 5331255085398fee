/* SPDX-License-Identifier: Apache-2.0 */
/* The memory was set before the members are. */
#include "../run.h"

struct Entry { char kind; double value; };

__global__ void set(Entry *e)
{
    e[threadIdx.x].kind  = 1;
    e[threadIdx.x].value = threadIdx.x;
}

int main()
{
    Entry h[64], *e = device_array<Entry>(64);
    set<<<1, 64>>>(e);
    cudaMemcpy(h, e, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(e);
    return finish();
}
