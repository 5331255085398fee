/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: variables of device code by the host's address for them, copies to and from them, in streams and as nodes of graphs. */
#include "cuda/runtime/graph_params.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"

/* ---- symbols ---- */

static CuErr where(const void *symbol, WwPtr *address, size_t *bytes)
{
    Symbol      *s = symbol_find(symbol);
    const Range *r = s ? NULL : devmem_range((uint64_t)(uintptr_t)symbol);
    if (r && r->variable && r->kind == MEMORY_MANAGED) { /* the program knows a managed variable by its own address */
        *address = r->base;
        *bytes   = r->bytes;
        return cudaSuccess;
    }
    return s ? image_variable(s->image, state_current(), s->name, address, bytes) : cudaErrorInvalidSymbol;
}

CuErr rt_cudaGetSymbolAddress(void **out, const void *symbol)
{
    ENTER();
    WwPtr  p = 0;
    size_t n;
    CuErr  e = where(symbol, &p, &n);
    if (e == cudaSuccess && !out)
        return LEAVE(cudaErrorInvalidValue);
    if (e == cudaSuccess)
        *out = (void *)(uintptr_t)p;
    return LEAVE(e);
}

CuErr rt_cudaGetSymbolSize(size_t *bytes, const void *symbol)
{
    ENTER();
    WwPtr p;
    return LEAVE(bytes ? where(symbol, &p, bytes) : cudaErrorInvalidValue);
}

static CuErr symbol_copy(const void *symbol, void *other, size_t count, size_t offset, int kind, bool into,
                         void *stream)
{
    WwPtr  p = 0;
    size_t n = 0;
    CuErr  e = where(symbol, &p, &n);
    if (e != cudaSuccess)
        return e;
    if (offset > n || count > n - offset)
        return cudaErrorInvalidValue;
    if (kind != (into ? COPY_HOST_TO_DEVICE : COPY_DEVICE_TO_HOST) && kind != COPY_DEVICE_TO_DEVICE &&
        kind != COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    void *at = (void *)(uintptr_t)(p + offset);
    return stream_copy(into ? at : other, 0, into ? other : at, 0, count, 1, kind, stream);
}

CuErr rt_cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : symbol_copy(symbol, (void *)(uintptr_t)src, count, offset, kind, true, NULL));
}

CuErr rt_cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : symbol_copy(symbol, dst, count, offset, kind, false, NULL));
}

CuErr rt_cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset, int kind,
                                 void *stream)
{
    ENTER();
    return LEAVE(symbol_copy(symbol, (void *)(uintptr_t)src, count, offset, kind, true, stream));
}

CuErr rt_cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset, int kind, void *stream)
{
    ENTER();
    return LEAVE(symbol_copy(symbol, dst, count, offset, kind, false, stream));
}

/* ---- copies of graphs to and from symbols ---- */

static CuErr symbol_node(GraphNode *n, const void *symbol, void *other, size_t count, size_t offset, int kind,
                         bool into)
{
    WwPtr  p     = 0;
    size_t bytes = 0;
    CuErr  e     = n ? where(symbol, &p, &bytes) : cudaErrorInvalidValue;
    if (e != cudaSuccess || offset > bytes || count > bytes - offset)
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    void *at = (void *)(uintptr_t)(p + offset);
    n->copy  = (NodeCopy){
         .dst = into ? at : other, .src = into ? other : at, .width = count, .height = 1, .depth = 1, .kind = kind};
    return cudaSuccess;
}

static CuErr add_symbol_node(void **out, void *graph, void *const *deps, size_t n, const void *symbol, void *other,
                             size_t count, size_t offset, int kind, bool into)
{
    CuErr      e    = cudaErrorInvalidValue;
    GraphNode *node = out ? graph_add(graph, NODE_COPY, deps, n, &e) : NULL;
    if (!node)
        return e;
    e = symbol_node(node, symbol, other, count, offset, kind, into);
    if (e == cudaSuccess)
        *out = node;
    else
        node_free(node);
    return e;
}

static GraphNode *copy_node(void *node)
{
    GraphNode *n = node_of(node);
    return n && n->kind == NODE_COPY ? n : NULL;
}

CuErr rt_cudaGraphAddMemcpyNodeToSymbol(void **out, void *graph, void *const *deps, size_t n, const void *symbol,
                                        const void *src, size_t count, size_t offset, int kind)
{
    ENTER();
    return LEAVE(add_symbol_node(out, graph, deps, n, symbol, (void *)(uintptr_t)src, count, offset, kind, true));
}

CuErr rt_cudaGraphAddMemcpyNodeFromSymbol(void **out, void *graph, void *const *deps, size_t n, void *dst,
                                          const void *symbol, size_t count, size_t offset, int kind)
{
    ENTER();
    return LEAVE(add_symbol_node(out, graph, deps, n, symbol, dst, count, offset, kind, false));
}

CuErr rt_cudaGraphMemcpyNodeSetParamsToSymbol(void *node, const void *symbol, const void *src, size_t count,
                                              size_t offset, int kind)
{
    ENTER();
    return LEAVE(symbol_node(copy_node(node), symbol, (void *)(uintptr_t)src, count, offset, kind, true));
}

CuErr rt_cudaGraphMemcpyNodeSetParamsFromSymbol(void *node, void *dst, const void *symbol, size_t count, size_t offset,
                                                int kind)
{
    ENTER();
    return LEAVE(symbol_node(copy_node(node), symbol, dst, count, offset, kind, false));
}

CuErr rt_cudaGraphExecMemcpyNodeSetParamsToSymbol(void *exec, void *node, const void *symbol, const void *src,
                                                  size_t count, size_t offset, int kind)
{
    ENTER();
    return LEAVE(
        symbol_node(graph_in_exec(exec, node, NODE_COPY), symbol, (void *)(uintptr_t)src, count, offset, kind, true));
}

CuErr rt_cudaGraphExecMemcpyNodeSetParamsFromSymbol(void *exec, void *node, void *dst, const void *symbol, size_t count,
                                                    size_t offset, int kind)
{
    ENTER();
    return LEAVE(symbol_node(graph_in_exec(exec, node, NODE_COPY), symbol, dst, count, offset, kind, false));
}

CuErr rt_cudaGraphMemcpyNodeSetParams1D(void *node, void *dst, const void *src, size_t bytes, int kind)
{
    ENTER();
    GraphNode *n = copy_node(node);
    if (n)
        n->copy = (NodeCopy){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return LEAVE(n ? cudaSuccess : cudaErrorInvalidValue);
}
