/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes of one warp read what others wrote to the surface, with no __syncwarp. */
#include "../run.h"

__global__ void turn(cudaSurfaceObject_t s, int *out)
{
    int v, i = (int)threadIdx.x;
    surf1Dwrite(i, s, 4 * i);
    surf1Dread(&v, s, 4 * (i ^ 1)); // expect: race-warp, other end 8
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
    turn<<<1, 32>>>(s, out);
    int r = finish();
    cudaDestroySurfaceObject(s);
    cudaFreeArray(a);
    cudaFree(out);
    return r;
}
