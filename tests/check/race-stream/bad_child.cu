/* SPDX-License-Identifier: Apache-2.0 */
/* Two branches of a graph that is a node of another one. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++; // expect: race-stream, other end 7
}

int main()
{
    int                 *a      = device_array<int>(64);
    void                *args[] = {&a};
    cudaKernelNodeParams p      = {};
    cudaGraph_t          g, child;
    cudaGraphNode_t      n;
    cudaGraphExec_t      x;
    cudaDeviceSynchronize();
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    p.func         = (void *)add;
    p.gridDim      = 1;
    p.blockDim     = 64;
    p.kernelParams = args;
    cudaGraphAddKernelNode(&n, child, nullptr, 0, &p);
    cudaGraphAddKernelNode(&n, child, nullptr, 0, &p);
    cudaGraphAddChildGraphNode(&n, g, nullptr, 0, child);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, nullptr);
    return finish();
}
