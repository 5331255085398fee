/* SPDX-License-Identifier: Apache-2.0
 *
 * Descriptions of graph nodes as they cross the interfaces, with the documented layout, and what turns them into payloads. */
#ifndef WW_CUDA_GRAPH_PARAMS_H
#define WW_CUDA_GRAPH_PARAMS_H

#include "cuda/work/graph.h"

typedef struct KernelParams { /* cudaKernelNodeParams; CUDA_KERNEL_NODE_PARAMS begins alike */
    void    *func;
    WwDim3   grid, block;
    unsigned shared;
    void   **args, **extra;
} KernelParams;

typedef struct SetParams {
    void    *dst;
    size_t   pitch;
    unsigned value, element;
    size_t   width, height;
} SetParams;

typedef struct HostParams {
    void (*fn)(void *);
    void *user;
} HostParams;

typedef struct PoolProps { /* cudaMemPoolProps */
    int    type, handle_types, location_type, location_id;
    void  *win32;
    size_t max_bytes;
    char   usage_and_reserved[56];
} PoolProps;
_Static_assert(sizeof(PoolProps) == 88, "layout of cudaMemPoolProps");

typedef struct AllocParams { /* cudaMemAllocNodeParams */
    PoolProps   props;
    const void *access;
    size_t      naccess, bytes;
    void       *at;
} AllocParams;

typedef struct ConditionalParams { /* cudaConditionalNodeParams */
    uint64_t handle;
    int      type;
    unsigned size;
    Graph  **graphs;
} ConditionalParams;

typedef struct NodeParams { /* cudaGraphNodeParams */
    int kind, reserved0[3];
    union {
        long long    reserved1[29];
        KernelParams kernel;
        struct {
            int         flags, reserved[3];
            CopyParms3D parms;
        } copy;
        SetParams         set;
        HostParams        host;
        void             *child, *event, *at;
        AllocParams       alloc;
        ConditionalParams conditional;
    };
    long long reserved2;
} NodeParams;
_Static_assert(sizeof(NodeParams) == 256, "layout of cudaGraphNodeParams");

/* A node of a graph by its handle, with dependencies by theirs; NULL with *e. */
GraphNode *graph_add(void *graph, NodeKind kind, void *const *deps, size_t n, CuErr *e);
/* The node of an executable graph that was made from `node`. */
GraphNode *graph_in_exec(void *exec, void *node, NodeKind kind);
CuErr      node_set_kernel_params(GraphNode *n, const KernelParams *p);
CuErr      node_set_copy_params(GraphNode *n, const CopyParms3D *c);
NodeSet    node_set_of(const SetParams *p);

#endif
