/* SPDX-License-Identifier: Apache-2.0 */
/* A texture over memory that the same launch writes, and one over an array that it writes through a surface: barriers do not help. */
#include "../run.h"
#include "../texture.h"

__global__ void smooth(float *x, cudaTextureObject_t before, float *out)
{
    int i = threadIdx.x;
    x[i]  = i;
    __syncthreads();
    out[i] = tex1Dfetch<float>(before, 63 - i); // expect: race-read-only, other end 9
}

__global__ void paint(cudaSurfaceObject_t s, cudaTextureObject_t t, float *out)
{
    int i = threadIdx.x;
    surf1Dwrite((float)i, s, i * 4);
    __syncthreads();
    out[i] = tex1D<float>(t, 63.5f - i); // expect: race-read-only, other end 17
}

int main()
{
    float           *x = device_array<float>(64);
    cudaResourceDesc r = {};
    r.resType                = cudaResourceTypeLinear;
    r.res.linear.devPtr      = x;
    r.res.linear.desc        = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 256;
    cudaArray_t         a    = array_of_floats(64, 0, 0, cudaArraySurfaceLoadStore);
    cudaResourceDesc    ra   = array_resource(a);
    cudaSurfaceObject_t s;
    if (cudaMemcpy2DToArray(a, 0, 0, x, 256, 256, 1, cudaMemcpyDeviceToDevice) != cudaSuccess ||
        cudaCreateSurfaceObject(&s, &ra) != cudaSuccess)
        return 3;
    smooth<<<1, 64>>>(x, texture_of(r, cudaFilterModePoint, cudaAddressModeClamp), device_array<float>(64));
    paint<<<1, 64>>>(s, texture_of_array(a), device_array<float>(64));
    return finish();
}
