/* SPDX-License-Identifier: Apache-2.0 */
/* Two arrays in turns: each launch reads one through its texture and writes the other through its surface.  A thread writes what it alone has fetched
 * before. */
#include "../run.h"
#include "../texture.h"

__global__ void step(cudaTextureObject_t from, cudaSurfaceObject_t to)
{
    int   x = threadIdx.x, y = blockIdx.x;
    float v = tex2D<float>(from, x + 0.5f, y) + tex2D<float>(from, x + 1.5f, y + 0.5f) + tex2D<float>(from, x - 0.5f, y + 0.5f);
    surf2Dwrite(v / 3, to, x * 4, y);
}

__global__ void scale(float *x, cudaTextureObject_t t)
{
    float v        = tex1Dfetch<float>(t, threadIdx.x);
    x[threadIdx.x] = 2 * v;
}

int main()
{
    float              *zero = device_array<float>(64 * 8);
    cudaTextureObject_t t[2];
    cudaSurfaceObject_t s[2];
    for (int i = 0; i < 2; i++) {
        cudaArray_t      a = array_of_floats(64, 8, 0, cudaArraySurfaceLoadStore);
        cudaResourceDesc r = array_resource(a);
        t[i]               = texture_of_array(a, cudaFilterModeLinear);
        if (cudaMemcpy2DToArray(a, 0, 0, zero, 256, 256, 8, cudaMemcpyDeviceToDevice) != cudaSuccess ||
            cudaCreateSurfaceObject(&s[i], &r) != cudaSuccess)
            return 3;
    }
    for (int i = 0; i < 4; i++)
        step<<<8, 64>>>(t[i & 1], s[~i & 1]);
    cudaResourceDesc r       = {};
    r.resType                = cudaResourceTypeLinear;
    r.res.linear.devPtr      = zero;
    r.res.linear.desc        = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 256;
    scale<<<1, 64>>>(zero, texture_of(r, cudaFilterModePoint, cudaAddressModeClamp));
    return finish();
}
