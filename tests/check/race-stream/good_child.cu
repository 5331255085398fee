/* SPDX-License-Identifier: Apache-2.0 */
/* A child graph's branches have their own arrays; what hangs on the child comes behind both, and the next launch behind that. */
#include "../run.h"

__global__ void add(int *a)
{
    a[threadIdx.x]++;
}

__global__ void sum(int *a, const int *b)
{
    a[threadIdx.x] += b[threadIdx.x];
}

int main()
{
    int                 *a = device_array<int>(64), *b = device_array<int>(64);
    void                *first[] = {&a}, *second[] = {&b}, *both[] = {&a, &b};
    cudaKernelNodeParams p = {}, q = {};
    cudaGraph_t          g, child;
    cudaGraphNode_t      n, before;
    cudaGraphExec_t      x;
    cudaDeviceSynchronize();
    cudaGraphCreate(&g, 0);
    cudaGraphCreate(&child, 0);
    p.func         = (void *)add;
    p.gridDim      = 1;
    p.blockDim     = 64;
    p.kernelParams = first;
    q              = p;
    q.kernelParams = second;
    cudaGraphAddKernelNode(&n, child, nullptr, 0, &p);
    cudaGraphAddKernelNode(&n, child, nullptr, 0, &q);
    cudaGraphAddKernelNode(&before, g, nullptr, 0, &p);
    cudaGraphAddChildGraphNode(&n, g, &before, 1, child);
    q.func         = (void *)sum;
    q.kernelParams = both;
    cudaGraphAddKernelNode(&before, g, &n, 1, &q);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, nullptr);
    cudaGraphLaunch(x, nullptr);
    return finish();
}
