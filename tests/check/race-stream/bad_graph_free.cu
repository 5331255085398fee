/* SPDX-License-Identifier: Apache-2.0 */
/* One branch of a graph frees memory that another one still reads. */
#include "../run.h"

#include "../graph_memory.h"

__global__ void fill(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void add(const int *p, int *out)
{
    out[threadIdx.x] += p[threadIdx.x]; // expect: race-stream
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
    kernel_node(g, wrote, (void *)add, both);
    cudaGraphAddMemFreeNode(&freed, g, &wrote, 1, p);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, nullptr);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    return finish();
}
