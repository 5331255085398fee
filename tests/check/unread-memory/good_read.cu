/* SPDX-License-Identifier: Apache-2.0 */
/* What is written is read: by another kernel. */
#include "../run.h"

__global__ void make(int *x)
{
    x[threadIdx.x] = threadIdx.x;
}

__global__ void take(const int *x, int *sum)
{
    atomicAdd(sum, x[threadIdx.x]);
}

int main()
{
    int back, *x, *sum = device_array<int>(1);
    cudaMalloc(&x, 256);
    make<<<1, 64>>>(x);
    take<<<1, 64>>>(x, sum);
    cudaMemcpy(&back, sum, 4, cudaMemcpyDeviceToHost);
    cudaFree(x);
    cudaFree(sum);
    return back == 2016 ? finish() : 2;
}
