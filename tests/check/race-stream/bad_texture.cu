/* SPDX-License-Identifier: Apache-2.0 */
/* One stream fills memory, and another one reads it through a texture. */
#include "../run.h"
#include "../texture.h"

__global__ void fill(float *x)
{
    x[threadIdx.x] = threadIdx.x;
}

__global__ void read(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); // expect: race-stream
}

int main()
{
    float           *x = device_array<float>(64), *out = device_array<float>(64);
    cudaResourceDesc r = {};
    cudaStream_t     one, two;
    r.resType                = cudaResourceTypeLinear;
    r.res.linear.devPtr      = x;
    r.res.linear.desc        = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = 256;
    cudaTextureObject_t t    = texture_of(r, cudaFilterModePoint, cudaAddressModeClamp);
    if (cudaStreamCreate(&one) != cudaSuccess || cudaStreamCreate(&two) != cudaSuccess)
        return 3;
    cudaDeviceSynchronize();
    fill<<<1, 64, 0, one>>>(x);
    read<<<1, 64, 0, two>>>(t, out);
    return finish();
}
