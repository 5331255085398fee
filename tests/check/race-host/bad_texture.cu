/* SPDX-License-Identifier: Apache-2.0 */
/* Texture objects are destroyed while a kernel of a stream may still fetch through them (host lines). */
#include "../run.h"
#include "../texture.h"

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    out[threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, 0.5f);
}

int main()
{
    cudaArray_t         a = array_of_floats(32, 1, 0, 0);
    float              *out = device_array<float>(64), host[32] = {1};
    cudaTextureObject_t t;
    cudaStream_t        s, other;
    cudaStreamCreate(&s);
    cudaStreamCreate(&other);
    cudaMemcpy2DToArray(a, 0, 0, host, 128, 128, 1, cudaMemcpyHostToDevice);
    t = texture_of_array(a);
    fetch<<<1, 32, 0, s>>>(t, out);
    cudaDestroyTextureObject(t); // expect: race-host, other end 8
    t = texture_of_array(a);
    fetch<<<1, 32, 0, s>>>(t, out);
    cudaStreamSynchronize(other);
    cudaDestroyTextureObject(t); // expect: race-host, other end 8
    return finish();
}
