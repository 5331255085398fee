/* SPDX-License-Identifier: Apache-2.0 */
/* A texture of linear memory. */
#include "../run.h"

__global__ void fetch(float *o, cudaTextureObject_t t)
{
    o[threadIdx.x + 32] = tex1Dfetch<float>(t, threadIdx.x);
}

int main()
{
    float              *o    = device_array<float>(64);
    cudaResourceDesc    what = {};
    cudaTextureDesc     how  = {};
    what.resType                = cudaResourceTypeLinear;
    what.res.linear.devPtr      = o;
    what.res.linear.desc        = cudaCreateChannelDesc<float>();
    what.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaTextureObject_t t;
    if (cudaCreateTextureObject(&t, &what, &how, nullptr) != cudaSuccess)
        return 2;
    fetch<<<1, 32>>>(o, t);
    cudaDeviceSynchronize();
    cudaDestroyTextureObject(t);
    return finish();
}
