/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that a texture, the host or nobody but the system uses: what is done to it is not seen, so nothing is said. */
#include "../run.h"

__global__ void sample(cudaTextureObject_t t, float *out, const float *seen)
{
    out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x) + seen[0];
}

int main()
{
    float           back[32], *out = device_array<float>(32), *from = device_array<float>(1024), *managed, *pinned;
    cudaArray_t     array;
    cudaResourceDesc what = {};
    cudaTextureDesc  how  = {};
    cudaTextureObject_t t;
    cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
    what.resType              = cudaResourceTypeLinear;
    what.res.linear.devPtr    = from;
    what.res.linear.desc      = one;
    what.res.linear.sizeInBytes = 4096;
    cudaMallocArray(&array, &one, 64, 64);
    cudaMallocManaged(&managed, 4096);
    cudaMallocHost(&pinned, 4096);
    managed[0] = 1;
    if (cudaCreateTextureObject(&t, &what, &how, nullptr) != cudaSuccess)
        return 2;
    sample<<<1, 32>>>(t, out, managed);
    cudaMemcpy(back, out, sizeof back, cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(t);
    cudaFreeArray(array);
    cudaFree(managed);
    cudaFreeHost(pinned);
    cudaFree(from);
    cudaFree(out);
    return finish();
}
