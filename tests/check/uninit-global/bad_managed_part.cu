/* SPDX-License-Identifier: Apache-2.0 */
/* The host sets all but the last elements of a managed array, one of them in a second page; between two launches it sets some more. */
#include "../run.h"

__global__ void scale(const float *x, float *y)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    y[i]       = 2 * x[i]; // expect: uninit-global
}

__global__ void count(const unsigned char *x, int *n)
{
    if (x[threadIdx.x] > 100) // expect: uninit-global
        atomicAdd(n, 1);
}

__global__ void add(int *sum)
{
    atomicAdd(sum, 1); // expect: uninit-global
}

int main()
{
    float *x, *y;
    int *n, *sum;
    unsigned char *c;
    cudaMallocManaged(&x, 2048 * sizeof *x);
    cudaMalloc(&y, 2048 * sizeof *y);
    cudaMallocManaged(&n, sizeof *n);
    cudaMallocManaged(&sum, sizeof *sum);
    cudaMallocHost(&c, 64);
    for (int i = 0; i < 2047; i++)
        x[i] = 0;
    scale<<<8, 256>>>(x, y);
    cudaDeviceSynchronize();
    for (int i = 0; i < 60; i++)
        c[i] = (unsigned char)i;
    *n = 0;
    count<<<1, 64>>>(c, n);
    add<<<1, 32>>>(sum);
    cudaDeviceSynchronize();
    cudaFree(x);
    cudaFree(y);
    cudaFree(n);
    cudaFree(sum);
    cudaFreeHost(c);
    return finish();
}
