/* SPDX-License-Identifier: Apache-2.0 */
/* Each stream has its own half, and both only read the table. */
#include "../run.h"

__global__ void half(const int *table, int *a, int *n)
{
    a[threadIdx.x] = table[threadIdx.x];
    atomicAdd(n, 1);
}

int main()
{
    int         *table = device_array<int>(64), *a = device_array<int>(128), *n = device_array<int>(1), *h;
    cudaStream_t s[2];
    cudaMallocHost(&h, 128 * sizeof(int));
    cudaDeviceSynchronize();
    for (int i = 0; i < 2; i++) {
        cudaStreamCreateWithFlags(&s[i], cudaStreamNonBlocking);
        cudaMemcpyAsync(a + 64 * i, h + 64 * i, 64 * sizeof(int), cudaMemcpyHostToDevice, s[i]);
        half<<<1, 64, 0, s[i]>>>(table, a + 64 * i, n);
        cudaMemcpyAsync(h + 64 * i, a + 64 * i, 64 * sizeof(int), cudaMemcpyDeviceToHost, s[i]);
    }
    cudaDeviceSynchronize();
    cudaFreeHost(h);
    return finish();
}
