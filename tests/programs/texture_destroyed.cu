/* SPDX-License-Identifier: Apache-2.0
 *
 * fails: 1
 * A kernel that reads through a texture object that was destroyed: an error of the launch, found with the object's number. */
#include "check.h"

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0);
}

int main()
{
    cudaArray_t           a;
    cudaChannelFormatDesc c = cudaCreateChannelDesc<float>();
    cudaResourceDesc      r = {};
    cudaTextureDesc       q = {};
    cudaTextureObject_t   t;
    float                *out;
    OK(cudaMallocArray(&a, &c, 32, 1));
    OK(cudaMalloc(&out, 128));
    r.resType         = cudaResourceTypeArray;
    r.res.array.array = a;
    OK(cudaCreateTextureObject(&t, &r, &q, nullptr));
    fetch<<<1, 32>>>(t, out);
    OK(cudaDeviceSynchronize());
    OK(cudaDestroyTextureObject(t));
    fetch<<<1, 32>>>(t, out);
    FAILS(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
    return passed();
}
