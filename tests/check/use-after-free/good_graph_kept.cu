/* SPDX-License-Identifier: Apache-2.0 */
/* A graph that does not free its memory: it is there behind the launch, until the program frees it. */
#include "../run.h"

#include "../graph_memory.h"

__global__ void fill(int *p)
{
    p[threadIdx.x] = 1;
}

__global__ void add(const int *p, int *out)
{
    out[threadIdx.x] += p[threadIdx.x];
}

int main()
{
    cudaGraph_t     g;
    cudaGraphExec_t x;
    cudaGraphNode_t made;
    int            *out = device_array<int>(32), *p;
    cudaGraphCreate(&g, 0);
    p             = (int *)memory_node(g, &made, 128);
    void *to[]    = {&p};
    kernel_node(g, made, (void *)fill, to);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, nullptr);
    cudaDeviceSynchronize();
    add<<<1, 32>>>(p, out);
    cudaFree(p);
    cudaGraphExecDestroy(x);
    cudaGraphDestroy(g);
    return finish();
}
