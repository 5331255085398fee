/* SPDX-License-Identifier: Apache-2.0 */
/* Two branches of a graph write one array. */
#include "../run.h"

__global__ void first(int *a)
{
    a[threadIdx.x] = 1;
}

__global__ void second(int *a)
{
    a[threadIdx.x] = 2; // expect: race-stream, other end 7
}

int main()
{
    int                 *a = device_array<int>(64);
    void                *args[] = {&a};
    cudaGraph_t          g;
    cudaGraphExec_t      x;
    cudaGraphNode_t      n, root;
    cudaKernelNodeParams p = {};
    p.gridDim = dim3(1), p.blockDim = dim3(64), p.kernelParams = args;
    cudaDeviceSynchronize();
    cudaGraphCreate(&g, 0);
    cudaGraphAddEmptyNode(&root, g, nullptr, 0);
    p.func = (void *)first;
    cudaGraphAddKernelNode(&n, g, &root, 1, &p);
    p.func = (void *)second;
    cudaGraphAddKernelNode(&n, g, &root, 1, &p);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, 0);
    return finish();
}
