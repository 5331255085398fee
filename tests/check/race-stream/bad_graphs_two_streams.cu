/* SPDX-License-Identifier: Apache-2.0 */
/* Two executable graphs of one graph know nothing of each other. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++; // expect: race-stream, other end 7
}

int main()
{
    int            *a = device_array<int>(64);
    cudaStream_t    s, t;
    cudaGraph_t     g;
    cudaGraphExec_t x, y;
    cudaDeviceSynchronize();
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 64, 0, s>>>(a);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphInstantiate(&y, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, s);
    cudaGraphLaunch(y, t);
    return finish();
}
