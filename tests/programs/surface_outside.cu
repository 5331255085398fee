/* SPDX-License-Identifier: Apache-2.0
 *
 * fails: 1
 * A surface read outside in the default mode stops the kernel. */
#include "check.h"

__global__ void fetch(cudaSurfaceObject_t s, float *out)
{
    out[threadIdx.x] = surf2Dread<float>(s, (int)threadIdx.x * 4, 1);
}

int main()
{
    cudaArray_t           a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaResourceDesc      r = {};
    cudaSurfaceObject_t   s;
    float                *out;
    OK(cudaMallocArray(&a, &c, 30, 2, cudaArraySurfaceLoadStore));
    OK(cudaMalloc(&out, 128));
    r.resType         = cudaResourceTypeArray;
    r.res.array.array = a;
    OK(cudaCreateSurfaceObject(&s, &r));
    fetch<<<1, 30>>>(s, out);
    OK(cudaDeviceSynchronize());
    fetch<<<1, 32>>>(s, out);
    CHECK(cudaDeviceSynchronize() != cudaSuccess);
    return passed();
}
