/* SPDX-License-Identifier: Apache-2.0
 *
 * What the time model makes of memory that is not the card's own: pinned, registered, managed with and without the advice to stay with the
 * host; and of a texture, of whose fetches each lane's four texels are one.
 * options: --time
 * predicts: from_pinned: memory of the host, host_read_bytes 1048576, host_write_bytes 1048576, managed_bytes 0
 * predicts: from_registered: memory of the host, host_read_bytes 1048576, host_write_bytes 0, managed_bytes 0
 * predicts: from_advised: memory of the host, host_read_bytes 1048576, host_write_bytes 0, managed_bytes 0
 * predicts: from_managed: starting blocks, host_read_bytes 0, host_write_bytes 0, managed_bytes 1048576
 * predicts: fetch: textures, host_read_bytes 0 */
#include "check.h"

enum { N = 1 << 18, SIDE = 256, TIMES = 16 };

__global__ void from_pinned(const float *a, float *b) { b[blockIdx.x * blockDim.x + threadIdx.x] = 2 * a[blockIdx.x * blockDim.x + threadIdx.x]; }
__global__ void from_registered(const float *a, float *b) { b[blockIdx.x * blockDim.x + threadIdx.x] = 2 * a[blockIdx.x * blockDim.x + threadIdx.x]; }
__global__ void from_advised(const float *a, float *b) { b[blockIdx.x * blockDim.x + threadIdx.x] = 2 * a[blockIdx.x * blockDim.x + threadIdx.x]; }
__global__ void from_managed(const float *a, float *b) { b[blockIdx.x * blockDim.x + threadIdx.x] = 2 * a[blockIdx.x * blockDim.x + threadIdx.x]; }

__global__ void fetch(cudaTextureObject_t t, float *out)
{
    int   x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float s = 0;
#pragma unroll
    for (int i = 0; i < TIMES; i++) /* between four texels */
        s += tex2D<float>(t, x + 1.0f, y + 1.0f + i);
    out[y * SIDE + x] = s;
}

int main()
{
    float *pinned, *back, *advised, *managed, *device, *plain = (float *)aligned_alloc(4096, N * sizeof(float));
    OK(cudaHostAlloc(&pinned, N * sizeof(float), cudaHostAllocMapped));
    OK(cudaHostAlloc(&back, N * sizeof(float), cudaHostAllocMapped));
    OK(cudaHostRegister(plain, N * sizeof(float), cudaHostRegisterMapped));
    OK(cudaMallocManaged(&advised, N * sizeof(float)));
    OK(cudaMallocManaged(&managed, N * sizeof(float)));
    OK(cudaMalloc(&device, N * sizeof(float)));
    cudaMemLocation host;
    memset(&host, 0, sizeof host);
    host.type = cudaMemLocationTypeHost;
    OK(cudaMemAdvise(advised, N * sizeof(float), cudaMemAdviseSetPreferredLocation, host));
    for (int i = 0; i < N; i++)
        pinned[i] = plain[i] = advised[i] = managed[i] = i;
    from_pinned<<<N / 256, 256>>>(pinned, back);
    from_registered<<<N / 256, 256>>>(plain, device);
    from_advised<<<N / 256, 256>>>(advised, device);
    from_managed<<<N / 256, 256>>>(managed, device);
    OK(cudaDeviceSynchronize());
    CHECK(back[N - 1] == 2.0f * (N - 1));

    cudaArray_t           array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc      of     = {};
    cudaTextureDesc       how    = {};
    cudaTextureObject_t   texture;
    OK(cudaMallocArray(&array, &format, SIDE, SIDE));
    OK(cudaMemcpy2DToArray(array, 0, 0, pinned, SIDE * sizeof(float), SIDE * sizeof(float), SIDE, cudaMemcpyHostToDevice));
    of.resType         = cudaResourceTypeArray;
    of.res.array.array = array;
    how.filterMode     = cudaFilterModeLinear;
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    OK(cudaCreateTextureObject(&texture, &of, &how, NULL));
    fetch<<<dim3(SIDE / 32, SIDE / 8), dim3(32, 8)>>>(texture, device);
    OK(cudaDeviceSynchronize());
    OK(cudaDestroyTextureObject(texture));
    OK(cudaFreeArray(array));
    OK(cudaHostUnregister(plain));
    OK(cudaFreeHost(pinned));
    OK(cudaFreeHost(back));
    OK(cudaFree(advised));
    OK(cudaFree(managed));
    OK(cudaFree(device));
    free(plain);
    printf("passed\n");
    return 0;
}
