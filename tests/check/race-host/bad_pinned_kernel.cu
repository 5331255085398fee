/* SPDX-License-Identifier: Apache-2.0 */
/* A function of the host overwrites pinned memory that a kernel reads; the wait is for another stream. */
#include "../run.h"

__global__ void add(const int *x, int *y)
{
    y[threadIdx.x] += x[threadIdx.x]; // expect: race-host
}

static void next(volatile int *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] = i;
}

int main()
{
    cudaStream_t a, b;
    int         *x, *y = device_array<int>(32);
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaHostAlloc(&x, 32 * sizeof *x, cudaHostAllocDefault);
    next(x, 32);
    cudaDeviceSynchronize();
    add<<<1, 32, 0, a>>>(x, y);
    cudaStreamSynchronize(b);
    next(x, 32);
    int r = finish();
    cudaFreeHost(x);
    cudaFree(y);
    return r;
}
