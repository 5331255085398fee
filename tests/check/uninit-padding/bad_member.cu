/* SPDX-License-Identifier: Apache-2.0 */
/* The seven bytes behind a char are nobody's, and the host copies the whole structures (host lines). */
#include "../run.h"

struct Entry { char kind; double value; };

__global__ void set(Entry *e)
{
    e[threadIdx.x].kind  = 1;
    e[threadIdx.x].value = threadIdx.x;
}

int main()
{
    Entry *e, h[64];
    cudaMalloc(&e, sizeof h);
    set<<<1, 64>>>(e);
    cudaMemcpy(h, e, sizeof h, cudaMemcpyDeviceToHost); // expect: uninit-padding
    cudaFree(e);
    return finish();
}
