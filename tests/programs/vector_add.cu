/* SPDX-License-Identifier: Apache-2.0
 *
 * The first program of every course: allocate, copy, launch, copy back, compare. */
#include "check.h"

__global__ void add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

int main()
{
    const int n = 5000;
    float *host[3], *dev[3];
    for (int k = 0; k < 3; k++) {
        host[k] = (float *)malloc(n * sizeof(float));
        OK(cudaMalloc(&dev[k], n * sizeof(float)));
    }
    for (int i = 0; i < n; i++) {
        host[0][i] = (float)i;
        host[1][i] = 0.5f * i;
    }
    OK(cudaMemcpy(dev[0], host[0], n * sizeof(float), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(dev[1], host[1], n * sizeof(float), cudaMemcpyHostToDevice));
    add<<<(n + 255) / 256, 256>>>(dev[0], dev[1], dev[2], n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(host[2], dev[2], n * sizeof(float), cudaMemcpyDeviceToHost));
    for (int i = 0; i < n; i++)
        CHECK(host[2][i] == 1.5f * i);
    for (int k = 0; k < 3; k++)
        OK(cudaFree(dev[k]));
    return passed();
}
