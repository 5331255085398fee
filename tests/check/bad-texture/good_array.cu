/* SPDX-License-Identifier: Apache-2.0 */
/* A texture of an array. */
#include "../run.h"

__global__ void fetch(float *o, cudaTextureObject_t t)
{
    o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0.5f);
}

int main()
{
    float              *o    = device_array<float>(64);
    cudaResourceDesc    what = {};
    cudaTextureDesc     how  = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t           array;
    if (cudaMallocArray(&array, &format, 32, 4, cudaArraySurfaceLoadStore) != cudaSuccess)
        return 2;
    what.resType         = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaTextureObject_t t;
    if (cudaCreateTextureObject(&t, &what, &how, nullptr) != cudaSuccess)
        return 2;
    fetch<<<1, 32>>>(o, t);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(t);
    cudaFreeArray(array);
    return finish();
}
