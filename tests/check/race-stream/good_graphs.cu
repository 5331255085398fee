/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of one graph come one behind the other, whatever their streams; what follows in the stream comes behind them. */
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
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    add<<<1, 64, 0, s>>>(a);
    cudaMemsetAsync(a, 0, 64 * sizeof(int), s);
    cudaStreamEndCapture(s, &g);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, s);
    cudaGraphLaunch(x, s);
    add<<<1, 64, 0, s>>>(a);
    cudaStreamSynchronize(s);
    cudaGraphLaunch(x, t);
    add<<<1, 64, 0, t>>>(a);
    return finish();
}
