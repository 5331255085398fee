/* SPDX-License-Identifier: Apache-2.0 */
/* Every byte is used: by vectors, atomics, a copy on the device, and asynchronous copies to shared memory. */
#include <cuda_pipeline.h>

#include "../run.h"

__global__ void all(float4 *v, int *count, const int *from, int *out)
{
    __shared__ int tile[64];
    v[threadIdx.x] = make_float4(1, 2, 3, 4);
    atomicAdd(&count[threadIdx.x % 4], 1);
    __pipeline_memcpy_async(&tile[threadIdx.x], &from[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    out[threadIdx.x] = tile[threadIdx.x] + (int)v[threadIdx.x].x;
}

int main()
{
    float4 *v = device_array<float4>(64), back[64];
    int    *count = device_array<int>(4), *from = device_array<int>(64), *out = device_array<int>(64), *copy, n[64];
    cudaMalloc(&copy, 256);
    all<<<1, 64>>>(v, count, from, out);
    cudaMemcpy(copy, out, 256, cudaMemcpyDeviceToDevice);
    cudaMemcpy(back, v, sizeof back, cudaMemcpyDeviceToHost);
    cudaMemcpy(n, copy, 256, cudaMemcpyDeviceToHost);
    cudaFree(v);
    cudaFree(count);
    cudaFree(from);
    cudaFree(out);
    cudaFree(copy);
    return finish();
}
