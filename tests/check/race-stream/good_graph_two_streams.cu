/* SPDX-License-Identifier: Apache-2.0 */
/* A launch of an executable graph comes behind the one before it, whatever streams they are in, and where that stream is no more. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++;
}

int main()
{
    int            *a = device_array<int>(64);
    cudaStream_t    s, t;
    cudaGraph_t     g;
    cudaGraphExec_t x;
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 64, 0, s>>>(a);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, s);
    cudaGraphLaunch(x, t);
    cudaStreamDestroy(t);
    cudaGraphLaunch(x, s);
    add<<<1, 64, 0, s>>>(a);
    return finish();
}
