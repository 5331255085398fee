/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel fills a managed array but for what its last block would have, and the next one sums all of it. */
#include "../run.h"

__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

__global__ void sum(const int *x, int n, int *to)
{
    int s = 0;
    for (int i = threadIdx.x; i < n; i += 32)
        s += x[i]; // expect: uninit-global
    atomicAdd(to, s);
}

int main()
{
    int *x, *to, n = 1000;
    cudaMallocManaged(&x, n * sizeof *x);
    cudaMallocManaged(&to, sizeof *to);
    *to = 0;
    fill<<<n / 256, 256>>>(x, n);
    cudaDeviceSynchronize();
    sum<<<1, 32>>>(x, n, to);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(to);
    return finish();
}
