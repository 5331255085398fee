/* SPDX-License-Identifier: Apache-2.0 */
/* Set by a copy, by its address, and in a stream; zeros that were copied are set, too. */
#include "../run.h"

__constant__ float factor[4];
__constant__ int   count, zero;

__global__ void scale(float *x)
{
    if (threadIdx.x < count)
        x[threadIdx.x] *= factor[threadIdx.x % 4] + zero;
}

int main()
{
    float *x = device_array<float>(32), h[4] = {1, 2, 3, 4};
    int   *at, n = 8, none = 0;
    cudaMemcpyToSymbol(factor, h, sizeof h);
    cudaGetSymbolAddress((void **)&at, count);
    cudaMemcpy(at, &n, sizeof n, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbolAsync(zero, &none, sizeof none, 0, cudaMemcpyHostToDevice, 0);
    scale<<<1, 32>>>(x);
    int code = finish();
    cudaFree(x);
    return code;
}
