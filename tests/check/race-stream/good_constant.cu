/* SPDX-License-Identifier: Apache-2.0 */
/* Constants that are copied before or behind the kernels that read them, and parts of them that no kernel reads at the time. */
#include "../run.h"

__constant__ int factor[4], table[32];

__global__ void scale(int *a)
{
    a[threadIdx.x] *= factor[2];
}

__global__ void map(int *a, int by)
{
    if (by)
        a[threadIdx.x] = table[a[threadIdx.x] & 31];
    else
        a[threadIdx.x] = factor[0];
}

int main()
{
    int         *a = device_array<int>(32), *h;
    int          own[32] = {1, 2, 3};
    cudaStream_t s, t;
    cudaEvent_t  e;
    cudaMallocHost(&h, sizeof table);
    for (int i = 0; i < 32; i++)
        h[i] = i;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&e);
    cudaDeviceSynchronize();
    cudaMemcpyToSymbol(table, own, sizeof table);
    cudaDeviceSynchronize();
    map<<<1, 32, 0, s>>>(a, 1);
    cudaMemcpyToSymbolAsync(factor, h, 2 * sizeof(int), 0, cudaMemcpyHostToDevice, t); // what scale does not read
    scale<<<1, 32, 0, s>>>(a);
    cudaMemcpyToSymbolAsync(table, h, 4 * sizeof(int), 0, cudaMemcpyHostToDevice, t); // perhaps what nobody looked up
    cudaEventRecord(e, s);
    cudaStreamWaitEvent(t, e);
    cudaMemcpyToSymbolAsync(table, h, sizeof table, 0, cudaMemcpyHostToDevice, t);
    cudaMemcpyToSymbolAsync(factor, h, sizeof factor, 0, cudaMemcpyHostToDevice, t);
    map<<<1, 32, 0, t>>>(a, 1);
    cudaStreamSynchronize(t);
    map<<<1, 32, 0, s>>>(a, 0);
    cudaMemcpyToSymbolAsync(table, h, sizeof table, 0, cudaMemcpyHostToDevice, t); // this launch looks nothing up
    return finish();
}
