/* SPDX-License-Identifier: Apache-2.0 */
/* Room for bytes where floats are counted: three quarters of it are never used (host lines). */
#include "../run.h"

__global__ void fill(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        x[i] = i;
}

int main()
{
    const int n = 1000;
    float     back[n], *x;
    cudaMalloc(&x, n * sizeof(float) * sizeof(float)); // expect: unused-memory
    fill<<<(n + 255) / 256, 256>>>(x, n);
    cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost);
    cudaFree(x);
    return finish();
}
