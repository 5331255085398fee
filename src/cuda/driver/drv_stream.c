/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: words of memory that streams wait for and write, copy nodes of graphs. */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/runtime/graph_params.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"

/* ---- words ---- */

static CuErr word(void *stream, NodeKind kind, WwPtr at, uint64_t value, unsigned bytes, unsigned flags)
{
    enum { WAIT_FLUSH = 1u << 30, WRITE_NO_BARRIER = 1 };
    const Range *r = devmem_range(at);
    bool known     = kind == NODE_WAIT_VALUE ? !(flags & ~(WAIT_FLUSH | 3u)) : !(flags & ~(unsigned)WRITE_NO_BARRIER);
    if (!known || at % bytes || !(r || devmem_is_device((const void *)(uintptr_t)at)))
        return cudaErrorInvalidValue;
    return stream_value(stream, kind, (NodeValue){(void *)(uintptr_t)at, value, flags & 3, bytes});
}

#define WORD(name, kind, type, bytes)                                                                                  \
    CuErr drv_##name(void *stream, WwPtr at, type value, unsigned flags)                                               \
    {                                                                                                                  \
        ENTER_CTX();                                                                                                   \
        return word(stream, kind, at, value, bytes, flags);                                                            \
    }                                                                                                                  \
    CuErr drv_##name##_v2(void *stream, WwPtr at, type value, unsigned flags)                                          \
    {                                                                                                                  \
        ENTER_CTX();                                                                                                   \
        return word(stream, kind, at, value, bytes, flags);                                                            \
    }
WORD(cuStreamWaitValue32, NODE_WAIT_VALUE, uint32_t, 4)
WORD(cuStreamWaitValue64, NODE_WAIT_VALUE, uint64_t, 8)
WORD(cuStreamWriteValue32, NODE_WRITE_VALUE, uint32_t, 4)
WORD(cuStreamWriteValue64, NODE_WRITE_VALUE, uint64_t, 8)

typedef union MemOp { /* CUstreamBatchMemOpParams */
    int operation;
    struct {
        int      operation;
        WwPtr    at;
        uint64_t value;
        unsigned flags;
    } word;
    uint64_t pad[6];
} MemOp;
_Static_assert(sizeof(MemOp) == 48, "layout of CUstreamBatchMemOpParams");

CuErr drv_cuStreamBatchMemOp(void *stream, unsigned n, const MemOp *op, unsigned flags)
{
    enum { WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };
    ENTER_CTX();
    CuErr e = op && n && n <= 256 && !flags ? cudaSuccess : cudaErrorInvalidValue;
    for (unsigned i = 0; e == cudaSuccess && i < n; i++)
        switch (op[i].operation) {
        case WAIT_32:
            e = word(stream, NODE_WAIT_VALUE, op[i].word.at, (uint32_t)op[i].word.value, 4, op[i].word.flags);
            break;
        case WAIT_64: e = word(stream, NODE_WAIT_VALUE, op[i].word.at, op[i].word.value, 8, op[i].word.flags); break;
        case WRITE_32:
            e = word(stream, NODE_WRITE_VALUE, op[i].word.at, (uint32_t)op[i].word.value, 4, op[i].word.flags);
            break;
        case WRITE_64: e = word(stream, NODE_WRITE_VALUE, op[i].word.at, op[i].word.value, 8, op[i].word.flags); break;
        case FLUSH:
        case BARRIER: break; /* memory has one order here */
        default: e = cudaErrorInvalidValue;
        }
    return e;
}

CuErr drv_cuStreamBatchMemOp_v2(void *stream, unsigned n, const MemOp *op, unsigned flags)
{
    return drv_cuStreamBatchMemOp(stream, n, op, flags);
}

/* ---- graphs ---- */

typedef struct ParamsEnd {
    size_t      x, y, z, level;
    int         type;
    const void *host;
    WwPtr       device;
    void       *array, *reserved;
    size_t      pitch, height;
} ParamsEnd;

typedef struct DriverCopy3D { /* CUDA_MEMCPY3D */
    ParamsEnd src, dst;
    size_t    width, height, depth;
} DriverCopy3D;
_Static_assert(sizeof(DriverCopy3D) == 200, "layout of CUDA_MEMCPY3D");

enum { TYPE_HOST = 1, TYPE_DEVICE = 2 };

CuErr drv_cuGraphAddMemcpyNode(void **out, void *graph, void *const *deps, size_t n, const DriverCopy3D *c, void *ctx)
{
    (void)ctx;
    ENTER_CTX();
    CuErr      e    = cudaErrorInvalidValue;
    GraphNode *node = out ? graph_add(graph, NODE_COPY, deps, n, &e) : NULL;
    if (!node)
        return e;
    e    = driver_copy_node(c, &node->copy);
    *out = node;
    if (e != cudaSuccess)
        node_free(node);
    return e;
}

CuErr drv_cuGraphMemcpyNodeSetParams(void *node, const DriverCopy3D *c)
{
    ENTER_CTX();
    GraphNode *n = node_of(node);
    return n && n->kind == NODE_COPY ? driver_copy_node(c, &n->copy) : cudaErrorInvalidValue;
}

CuErr drv_cuGraphExecMemcpyNodeSetParams(void *exec, void *node, const DriverCopy3D *c, void *ctx)
{
    (void)ctx;
    ENTER_CTX();
    GraphNode *n = graph_in_exec(exec, node, NODE_COPY);
    return n ? driver_copy_node(c, &n->copy) : cudaErrorInvalidValue;
}

CuErr drv_cuGraphMemcpyNodeGetParams(void *node, DriverCopy3D *c)
{
    ENTER_CTX();
    const GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_COPY || !c)
        return cudaErrorInvalidValue;
    const NodeCopy *k    = &n->copy;
    bool            from = k->kind == COPY_DEVICE_TO_HOST || k->kind == COPY_DEVICE_TO_DEVICE;
    bool            to   = k->kind == COPY_HOST_TO_DEVICE || k->kind == COPY_DEVICE_TO_DEVICE;
    memset(c, 0, sizeof *c);
    c->src = (ParamsEnd){
        .type = from ? TYPE_DEVICE : TYPE_HOST, .host = k->src, .device = (WwPtr)(uintptr_t)k->src, .pitch = k->spitch};
    c->dst = (ParamsEnd){
        .type = to ? TYPE_DEVICE : TYPE_HOST, .host = k->dst, .device = (WwPtr)(uintptr_t)k->dst, .pitch = k->dpitch};
    c->src.height = k->spitch ? k->sslice / k->spitch : 0;
    c->dst.height = k->dpitch ? k->dslice / k->dpitch : 0;
    c->width      = k->width;
    c->height     = k->height;
    c->depth      = k->depth;
    return cudaSuccess;
}

CuErr drv_cuGraphKernelNodeGetParams(void *node, KernelParams *p)
{
    ENTER_CTX();
    const GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_KERNEL || !p)
        return cudaErrorInvalidValue;
    *p = (KernelParams){n->kernel, n->ask.grid, n->ask.block, (unsigned)n->ask.shared, n->ask.args, NULL};
    return cudaSuccess;
}

CuErr drv_cuGraphKernelNodeGetParams_v2(void *node, KernelParams *p)
{
    CuErr e = drv_cuGraphKernelNodeGetParams(node, p);
    if (e == cudaSuccess) /* the newer structure goes on with a kernel handle and a context */
        memset(p + 1, 0, 2 * sizeof(void *));
    return e;
}
