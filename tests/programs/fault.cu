/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel that writes out of bounds: the launch is accepted, the next call tells, and so does every later one.
 * fails: 1 */
#include "check.h"

__global__ void stray(int *p)
{
    p[threadIdx.x + (1 << 28)] = 1; /* 1 GiB on, where nothing is mapped */
}

int main()
{
    int *p, v;
    OK(cudaMalloc(&p, 64 * sizeof(int)));
    stray<<<1, 32>>>(p);
    FAILS(cudaGetLastError(), cudaSuccess);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    FAILS(cudaMemcpy(&v, p, 4, cudaMemcpyDeviceToHost), cudaErrorIllegalAddress);
    FAILS(cudaMalloc(&p, 4), cudaErrorIllegalAddress);
    FAILS(cudaGetLastError(), cudaErrorIllegalAddress);
    return passed();
}
