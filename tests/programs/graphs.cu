/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs: captured over two streams, launched again and again, updated, built by hand. */
#include "check.h"

__global__ void add(int *p, int v)
{
    atomicAdd(p, v);
}

int main()
{
    cudaStream_t s, t;
    cudaEvent_t  fork, join;
    cudaGraph_t  g, h;
    cudaGraphExec_t x;
    int *p, v = -1;
    size_t n = 0;
    OK(cudaStreamCreate(&s));
    OK(cudaStreamCreate(&t));
    OK(cudaEventCreate(&fork));
    OK(cudaEventCreate(&join));
    OK(cudaMalloc(&p, sizeof *p));
    OK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
    OK(cudaMemsetAsync(p, 0, sizeof *p, s));
    OK(cudaEventRecord(fork, s));
    OK(cudaStreamWaitEvent(t, fork, 0));
    add<<<1, 32, 0, s>>>(p, 1);
    add<<<1, 32, 0, t>>>(p, 2);
    OK(cudaEventRecord(join, t));
    OK(cudaStreamWaitEvent(s, join, 0));
    OK(cudaMemcpyAsync(&v, p, sizeof v, cudaMemcpyDeviceToHost, s));
    OK(cudaStreamEndCapture(s, &g));
    CHECK(v == -1);
    OK(cudaGraphGetNodes(g, nullptr, &n));
    CHECK(n == 4);
    OK(cudaGraphInstantiate(&x, g, 0));
    for (int i = 0; i < 3; i++) {
        v = -1;
        OK(cudaGraphLaunch(x, s));
        OK(cudaStreamSynchronize(s));
        CHECK(v == 96);
    }
    OK(cudaGraphExecDestroy(x));
    OK(cudaGraphDestroy(g));

    OK(cudaGraphCreate(&h, 0));
    cudaGraphNode_t a, b;
    cudaKernelNodeParams k = {};
    int   five   = 5;
    void *args[] = {&p, &five};
    k.func         = (void *)add;
    k.gridDim      = dim3(2);
    k.blockDim     = dim3(10);
    k.kernelParams = args;
    OK(cudaGraphAddKernelNode(&a, h, nullptr, 0, &k));
    five = 6; /* the arguments were copied */
    OK(cudaGraphAddMemcpyNode1D(&b, h, &a, 1, &v, p, sizeof v, cudaMemcpyDeviceToHost));
    OK(cudaGraphInstantiate(&x, h, 0));
    OK(cudaGraphLaunch(x, 0));
    OK(cudaDeviceSynchronize());
    CHECK(v == 196);
    return passed();
}
