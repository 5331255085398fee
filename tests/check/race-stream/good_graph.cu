/* SPDX-License-Identifier: Apache-2.0 */
/* Branches of a captured graph that meet again before the array is written. */
#include "../run.h"

__global__ void read(const int *a, int *b)
{
    b[threadIdx.x] = a[threadIdx.x];
}

__global__ void both(int *a, const int *b, const int *c)
{
    a[threadIdx.x] = b[threadIdx.x] + c[threadIdx.x];
}

int main()
{
    int            *a = device_array<int>(64), *b = device_array<int>(64), *c = device_array<int>(64);
    cudaStream_t    s, t;
    cudaEvent_t     fork, join;
    cudaGraph_t     g;
    cudaGraphExec_t x;
    cudaDeviceSynchronize();
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEventCreate(&fork);
    cudaEventCreate(&join);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, s);
    cudaStreamWaitEvent(t, fork, 0);
    read<<<1, 64, 0, s>>>(a, b);
    read<<<1, 64, 0, t>>>(a, c);
    cudaEventRecord(join, t);
    cudaStreamWaitEvent(s, join, 0);
    both<<<1, 64, 0, s>>>(a, b, c);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    for (int i = 0; i < 3; i++)
        cudaGraphLaunch(x, s);
    return finish();
}
