/* SPDX-License-Identifier: Apache-2.0 */
/* A surface of an array. */
#include "../run.h"

__global__ void store(float *o, cudaSurfaceObject_t s)
{
    surf2Dwrite(o[threadIdx.x], s, threadIdx.x * 4, 1);
}

int main()
{
    float              *o    = device_array<float>(64);
    cudaResourceDesc    what = {};
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t           array;
    if (cudaMallocArray(&array, &format, 32, 4, cudaArraySurfaceLoadStore) != cudaSuccess)
        return 2;
    what.resType         = cudaResourceTypeArray;
    what.res.array.array = array;
    cudaSurfaceObject_t s;
    if (cudaCreateSurfaceObject(&s, &what) != cudaSuccess)
        return 2;
    store<<<1, 32>>>(o, s);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(s);
    cudaFreeArray(array);
    return finish();
}
