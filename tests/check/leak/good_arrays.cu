/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays, memory in a stream's order and a graph's own memory, all given back; host lines. */
#include "../run.h"

#include "../graph_memory.h"

__global__ void set(int *x)
{
    x[threadIdx.x] = 1;
}

int main()
{
    cudaArray_t           a;
    cudaMipmappedArray_t  m;
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    int                  *p, *q;
    cudaGraph_t           g;
    cudaGraphExec_t       x;
    cudaGraphNode_t       made, freed;
    cudaMallocArray(&a, &f, 16, 16);
    cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 2);
    cudaMallocAsync(&p, 128, nullptr);
    set<<<1, 32>>>(p);
    cudaFreeAsync(p, nullptr);
    cudaGraphCreate(&g, 0);
    q                    = (int *)memory_node(g, &made, 128);
    void           *to[] = {&q};
    cudaGraphNode_t set1 = kernel_node(g, made, (void *)set, to);
    cudaGraphAddMemFreeNode(&freed, g, &set1, 1, q);
    cudaGraphInstantiate(&x, g, nullptr, nullptr, 0);
    cudaGraphLaunch(x, nullptr);
    cudaFreeArray(a);
    cudaFreeMipmappedArray(m);
    return finish();
}
