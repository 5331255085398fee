/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph's own memory: nodes that allocate it, write it, read it, free it. */
#pragma once

static void *memory_node(cudaGraph_t g, cudaGraphNode_t *node, size_t bytes)
{
    cudaMemAllocNodeParams p    = {};
    p.poolProps.allocType       = cudaMemAllocationTypePinned;
    p.poolProps.location.type   = cudaMemLocationTypeDevice;
    p.bytesize                  = bytes;
    if (cudaGraphAddMemAllocNode(node, g, nullptr, 0, &p) != cudaSuccess)
        exit(3);
    return p.dptr;
}

static cudaGraphNode_t kernel_node(cudaGraph_t g, cudaGraphNode_t behind, void *kernel, void **args)
{
    cudaKernelNodeParams p = {};
    cudaGraphNode_t      n;
    p.func                 = kernel;
    p.gridDim              = 1;
    p.blockDim             = 32;
    p.kernelParams         = args;
    if (cudaGraphAddKernelNode(&n, g, &behind, 1, &p) != cudaSuccess)
        exit(3);
    return n;
}
