/* SPDX-License-Identifier: Apache-2.0 */
/* The next input is put in place while the kernel may still be reading the one before (host lines). */
#include "../run.h"

__global__ void scale(const float *x, float *y)
{
    y[threadIdx.x] = 2 * x[threadIdx.x];
}

int main()
{
    float *x, *y = device_array<float>(64);
    cudaMallocManaged(&x, 64 * sizeof *x);
    for (int i = 0; i < 64; i++)
        x[i] = (float)i;
    scale<<<1, 64>>>(x, y);
    x[7] = 100; // expect: race-host, other end 7
    int r = finish();
    x[8] = 100;
    cudaFree(x);
    cudaFree(y);
    return r;
}
