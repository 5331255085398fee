/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel uses the memory of a graph before that was launched. */
#include "../run.h"

#include "../graph_memory.h"

__global__ void fill(int *p)
{
    p[threadIdx.x] = 1; // expect: use-after-free
}

__global__ void add(const int *p, int *out)
{
    out[threadIdx.x] += p[threadIdx.x];
}

int main()
{
    cudaGraph_t     g;
    cudaGraphExec_t x;
    cudaGraphNode_t made, wrote, freed;
    int            *out = device_array<int>(32), *p;
    cudaGraphCreate(&g, 0);
    p             = (int *)memory_node(g, &made, 128);
    void *to[]    = {&p};
    void *both[]  = {&p, &out};
    wrote = kernel_node(g, made, (void *)fill, to);
    wrote = kernel_node(g, wrote, (void *)add, both);
    cudaGraphAddMemFreeNode(&freed, g, &wrote, 1, p);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    fill<<<1, 32>>>(p);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    return finish();
}
