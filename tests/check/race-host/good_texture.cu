/* SPDX-License-Identifier: Apache-2.0 */
/* Texture objects are destroyed when their kernels have ended, and while a kernel uses another one of the same array (host lines). */
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
    cudaTextureObject_t t, u, unused;
    cudaStream_t        s;
    cudaEvent_t         e;
    cudaStreamCreate(&s);
    cudaEventCreate(&e);
    cudaMemcpy2DToArray(a, 0, 0, host, 128, 128, 1, cudaMemcpyHostToDevice);
    t      = texture_of_array(a);
    u      = texture_of_array(a);
    unused = texture_of_array(a);
    fetch<<<1, 32, 0, s>>>(t, out);
    cudaEventRecord(e, s);
    fetch<<<1, 32, 0, s>>>(u, out + 32);
    cudaDestroyTextureObject(unused);
    cudaEventSynchronize(e);
    cudaDestroyTextureObject(t);
    cudaStreamSynchronize(s);
    cudaDestroyTextureObject(u);
    t = texture_of_array(a);
    fetch<<<1, 32>>>(t, out);
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(t);
    return finish();
}
