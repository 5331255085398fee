/* SPDX-License-Identifier: Apache-2.0 */
/* Members without gaps between them. */
#include "../run.h"

struct Entry { double value; int kind, count; };

__global__ void set(Entry *e)
{
    e[threadIdx.x].kind = e[threadIdx.x].count = 1;
    e[threadIdx.x].value = threadIdx.x;
}

int main()
{
    Entry h[64], *e;
    cudaMalloc(&e, sizeof h);
    set<<<1, 64>>>(e);
    cudaMemcpy(h, e, sizeof h, cudaMemcpyDeviceToHost);
    cudaFree(e);
    return finish();
}
