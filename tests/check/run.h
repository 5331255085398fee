/* SPDX-License-Identifier: Apache-2.0
 *
 * What the programs of this folder share: memory for a kernel and a check that the runtime was content. */
#pragma once
#include <cstdio>
#include <cstdlib>

template <typename T> static T *device_array(size_t n)
{
    T *p = nullptr;
    if (cudaMalloc(&p, n * sizeof(T)) != cudaSuccess || cudaMemset(p, 0, n * sizeof(T)) != cudaSuccess)
        exit(3);
    return p;
}

static int finish()
{
    cudaError_t e = cudaDeviceSynchronize();
    if (e != cudaSuccess)
        printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
