/* SPDX-License-Identifier: Apache-2.0 */
/* A barrier stands between the writes to the surface and the reads. */
#include "../run.h"

__global__ void turn(cudaSurfaceObject_t s, int *out)
{
    int v, i = (int)threadIdx.x, n = (int)blockDim.x;
    surf1Dwrite(i, s, 4 * i);
    __syncthreads();
    surf1Dread(&v, s, 4 * (n - 1 - i));
    out[i] = v;
}

int main()
{
    cudaArray_t           a;
    cudaSurfaceObject_t   s;
    cudaResourceDesc      what = {};
    cudaChannelFormatDesc d    = cudaCreateChannelDesc<int>();
    int                  *out  = device_array<int>(64);
    cudaMallocArray(&a, &d, 64, 0, cudaArraySurfaceLoadStore);
    what.resType         = cudaResourceTypeArray;
    what.res.array.array = a;
    cudaCreateSurfaceObject(&s, &what);
    turn<<<1, 64>>>(s, out);
    int r = finish();
    cudaDestroySurfaceObject(s);
    cudaFreeArray(a);
    cudaFree(out);
    return r;
}
