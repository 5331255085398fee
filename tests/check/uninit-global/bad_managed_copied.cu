/* SPDX-License-Identifier: Apache-2.0 */
/* A pinned buffer goes to the device whole, and the host filled half of it. */
#include "../run.h"

__global__ void scale(const int *x, int *y)
{
    y[threadIdx.x] = 2 * x[threadIdx.x]; // expect: uninit-global
}

int main()
{
    int *x, *y, *pinned;
    cudaMallocHost(&pinned, 256 * sizeof *pinned);
    cudaMalloc(&x, 256 * sizeof *x);
    cudaMalloc(&y, 256 * sizeof *y);
    for (int i = 0; i < 128; i++)
        pinned[i] = 0;
    cudaMemcpy(x, pinned, 256 * sizeof *x, cudaMemcpyHostToDevice);
    scale<<<1, 256>>>(x, y);
    cudaDeviceSynchronize();
    cudaFreeHost(pinned);
    cudaFree(x);
    cudaFree(y);
    return finish();
}
