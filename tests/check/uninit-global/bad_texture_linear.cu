/* SPDX-License-Identifier: Apache-2.0 */
/* A texture over plain memory, of which the last elements were not written. */
#include "../run.h"

#include "../texture.h"

__global__ void copy(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); // expect: uninit-global
}

int main()
{
    float            host[32] = {0}, *in, *out = device_array<float>(32);
    cudaResourceDesc r = {};
    cudaMalloc(&in, sizeof host);
    cudaMemcpy(in, host, 28 * sizeof(float), cudaMemcpyHostToDevice);
    r.resType                = cudaResourceTypeLinear;
    r.res.linear.devPtr      = in;
    r.res.linear.desc        = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = sizeof host;
    copy<<<1, 32>>>(texture_of(r, cudaFilterModePoint, cudaAddressModeClamp), out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    return finish();
}
