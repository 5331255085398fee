/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel that writes behind an allocation's last element, in its granule and beyond it, where the card has the rest of a page, and one that
 * reads the word around a variable of three bytes: they go on, and the report holds a warning.
 * warns: out-of-bounds
 * warns: out-of-bounds */
#include "check.h"

__global__ void past(int *p)
{
    p[threadIdx.x + (blockIdx.x ? 128 : 1)] = (int)threadIdx.x; /* 4, and 512 bytes on */
}

__device__ __align__(4) unsigned char three[3] = {1, 2, 3};

__device__ int                         word;

__global__ void around()
{
    word = *(volatile int *)three & 0xffffff;
}

int main()
{
    int *p, v[64];
    around<<<1, 1>>>(); /* before there is any allocation beside */
    OK(cudaMemcpyFromSymbol(v, word, sizeof *v));
    CHECK(v[0] == 0x030201);
    OK(cudaMalloc(&p, sizeof v));
    past<<<2, 64>>>(p);
    OK(cudaDeviceSynchronize());
    OK(cudaMemcpy(v, p, sizeof v, cudaMemcpyDeviceToHost));
    for (int i = 1; i < 64; i++)
        CHECK(v[i] == i - 1);
    FAILS(cudaMemcpy(v, p, sizeof v + 4, cudaMemcpyDeviceToHost), cudaErrorInvalidValue); /* copies are exact */
    OK(cudaFree(p));
    return passed();
}
