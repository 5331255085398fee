/* SPDX-License-Identifier: Apache-2.0 */
/* The grid is one block short: what the last block should have written goes to the host (host lines). */
#include "../run.h"

__global__ void squares(float *y)
{
    int i   = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    y[i]    = (float)i * i;
}

int main()
{
    float *y, h[256];
    cudaMalloc(&y, sizeof h);
    squares<<<3, 64>>>(y);
    cudaMemcpy(h, y, sizeof h, cudaMemcpyDeviceToHost); // expect: uninit-global
    cudaFree(y);
    return finish();
}
