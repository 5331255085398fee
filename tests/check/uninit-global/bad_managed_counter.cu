/* SPDX-License-Identifier: Apache-2.0 */
/* Two counters that nobody set, in managed memory and in what comes from a pinned buffer.  The kernel finds zeros, and the program its usual
 * result. */
#include "../run.h"

__global__ void count(const int *x, int *n)
{
    if (x[threadIdx.x] < 16)
        atomicAdd(n, 1); // expect: uninit-global
}

__global__ void add(const int *from, int *to)
{
    to[threadIdx.x] = from[threadIdx.x] + 1; // expect: uninit-global
}

int main()
{
    int *x, *n, *pinned, *there, *result, back[32];
    cudaMallocManaged(&x, 32 * sizeof *x);
    cudaMallocManaged(&n, sizeof *n);
    cudaMallocHost(&pinned, 32 * sizeof *pinned);
    cudaMalloc(&there, 32 * sizeof *there);
    cudaMalloc(&result, 32 * sizeof *result);
    for (int i = 0; i < 32; i++)
        x[i] = i;
    count<<<1, 32>>>(x, n);
    cudaDeviceSynchronize();
    if (*n != 16)
        exit(4);
    pinned[0] = 5;
    cudaMemcpy(there, pinned, 32 * sizeof *there, cudaMemcpyHostToDevice);
    add<<<1, 32>>>(there, result);
    cudaMemcpy(back, result, sizeof back, cudaMemcpyDeviceToHost);
    if (back[0] != 6 || back[1] != 1)
        exit(5);
    cudaFree(x);
    cudaFree(n);
    cudaFreeHost(pinned);
    cudaFree(there);
    cudaFree(result);
    return finish();
}
