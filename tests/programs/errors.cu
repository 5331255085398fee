/* SPDX-License-Identifier: Apache-2.0
 *
 * Error state: what a failed call leaves, what resets it, what the refusals of a launch are. */
#include "check.h"

__global__ void nothing(int *p)
{
    if (p)
        *p = 1;
}

int main()
{
    char big[16];
    FAILS(cudaGetLastError(), cudaSuccess);
    nothing<<<0, 32>>>(nullptr);
    FAILS(cudaPeekAtLastError(), cudaErrorInvalidValue);
    FAILS(cudaGetLastError(), cudaErrorInvalidValue);
    FAILS(cudaGetLastError(), cudaSuccess);
    nothing<<<1, 2048>>>(nullptr);
    FAILS(cudaGetLastError(), cudaErrorInvalidValue);
    nothing<<<1, 32, 100000>>>(nullptr);
    FAILS(cudaGetLastError(), cudaErrorInvalidValue);
    OK(cudaFuncSetAttribute(nothing, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    nothing<<<1, 32, 100000>>>(nullptr);
    OK(cudaGetLastError());
    FAILS(cudaMalloc((void **)nullptr, 4), cudaErrorInvalidValue);
    int *p;
    FAILS(cudaMalloc(&p, (size_t)1 << 50), cudaErrorMemoryAllocation);
    OK(cudaMalloc(&p, 8));
    FAILS(cudaMemcpy(p, big, 16, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    FAILS(cudaMemcpy(p, big, 4, (cudaMemcpyKind)7), cudaErrorInvalidMemcpyDirection);
    FAILS(cudaGetLastError(), cudaErrorInvalidMemcpyDirection);
    OK(cudaFree(p));
    FAILS(cudaFree(p), cudaErrorInvalidValue);
    CHECK(!strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation"));
    CHECK(!strcmp(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory"));
    return passed();
}
