/* SPDX-License-Identifier: Apache-2.0 */
/* A graph reads its memory before it writes it: what an earlier launch left there is not its own. */
#include "../run.h"

#include "../graph_memory.h"

__global__ void fill(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void add(const int *p, int *out)
{
    out[threadIdx.x] += p[threadIdx.x]; // expect: uninit-global
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
    cudaGraphNode_t read = kernel_node(g, made, (void *)add, both);
    wrote                = kernel_node(g, read, (void *)fill, to);
    cudaGraphAddMemFreeNode(&freed, g, &wrote, 1, p);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, nullptr);
    cudaGraphLaunch(x, nullptr);
    int host[32];
    cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    return finish();
}
