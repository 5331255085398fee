/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: graphs and their nodes, made from parameters.  rt_graph_node.c makes nodes from one description for all kinds,
 * rt_graph_edges.c tells and changes what depends on what, rt_capture.c makes graphs from a stream's work; graph_launch.c runs them.
 * Structures that cross the interface are read through small declarations of our own with the documented layout. */
#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "cuda/memory/array.h"
#include "cuda/runtime/graph_params.h"
#include "cuda/work/capture.h"
#include "cuda/work/graph.h"
#include "cuda/work/queue.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"

typedef struct UpdateResult { /* of cudaGraphExecUpdate, CUDA 12 and later */
    int   result;
    void *error_node, *error_from;
} UpdateResult;

enum { UPDATE_OK = 0, UPDATE_TOPOLOGY = 2, UPDATE_TYPE = 3 };

/* ---- graphs ---- */

CuErr rt_cudaGraphCreate(void **out, unsigned flags)
{
    ENTER();
    if (!out || flags)
        return LEAVE(cudaErrorInvalidValue);
    *out = cgraph_new();
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphDestroy(void *graph)
{
    ENTER();
    Graph *g = cgraph_of(graph, false);
    if (g)
        cgraph_free(g);
    return LEAVE(g ? cudaSuccess : cudaErrorInvalidValue);
}

/* Memory nodes bind a graph to its one executable form: it cannot be cloned, and its nodes cannot be taken out. */
static bool has_memory(const Graph *g)
{
    for (size_t i = 0; i < g->nnodes; i++)
        if (g->node[i]->kind == NODE_ALLOC || g->node[i]->kind == NODE_FREE)
            return true;
    return false;
}

CuErr rt_cudaGraphClone(void **out, void *graph)
{
    ENTER();
    Graph *g = out ? cgraph_of(graph, false) : NULL;
    if (g && has_memory(g))
        return LEAVE(cudaErrorNotSupported);
    if (g)
        *out = cgraph_clone(g);
    return LEAVE(g ? cudaSuccess : cudaErrorInvalidValue);
}

/* Every condition must have its node. */
static bool conditions_used(const Graph *g)
{
    for (size_t c = 0; c < g->nconditions; c++) {
        bool used = false;
        for (size_t i = 0; i < g->nnodes; i++)
            used |= g->node[i]->kind == NODE_CONDITIONAL && g->node[i]->condition.handle == g->condition[c].handle;
        if (!used)
            return false;
    }
    return true;
}

static CuErr instantiate(void **out, void *graph, unsigned long long flags)
{
    enum { FLAGS = 15 }; /* free at launch, upload, launches from the device, priorities of nodes */
    Graph      *g     = cgraph_of(graph, false);
    GraphNode **order = g && out && flags <= FLAGS && conditions_used(g) ? cgraph_order(g) : NULL;
    if (!order)
        return cudaErrorInvalidValue;
    free(order);
    if (has_memory(g) && g->instances)
        return cudaErrorNotSupported;
    Graph *x  = cgraph_clone(g);
    x->exec   = true;
    x->flags  = flags;
    x->source = g;
    g->instances++;
    *out = x;
    return cudaSuccess;
}

CuErr rt_cudaGraphInstantiate(void **out, void *graph, unsigned long long flags)
{
    ENTER();
    return LEAVE(instantiate(out, graph, flags));
}

CuErr rt_cudaGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags)
{
    return rt_cudaGraphInstantiate(out, graph, flags);
}

typedef struct InstantiateParams { /* cudaGraphInstantiateParams */
    unsigned long long flags;
    void              *stream, *error_node;
    int                result;
} InstantiateParams;

CuErr rt_cudaGraphInstantiateWithParams(void **out, void *graph, InstantiateParams *p)
{
    ENTER();
    if (!p)
        return LEAVE(cudaErrorInvalidValue);
    CuErr e       = instantiate(out, graph, p->flags);
    p->error_node = NULL;
    p->result     = e == cudaSuccess ? 0 : 1;
    return LEAVE(e);
}

CuErr rt_cudaGraphInstantiate_11(void **out, void *graph, void **error_node, char *log, size_t bytes)
{
    ENTER();
    if (error_node)
        *error_node = NULL;
    if (log && bytes)
        *log = 0;
    return LEAVE(instantiate(out, graph, 0));
}

CuErr rt_cudaGraphExecDestroy(void *exec)
{
    ENTER();
    Graph *x = cgraph_of(exec, true);
    if (x && cgraph_of(x->source, false))
        ((Graph *)x->source)->instances--;
    if (x)
        cgraph_free(x);
    return LEAVE(x ? cudaSuccess : cudaErrorInvalidValue);
}

enum { FREE_AT_LAUNCH = 1 };

/* Has everything been freed that an earlier launch allocated? */
static bool memory_free(const Graph *x)
{
    for (size_t i = 0; i < x->nnodes; i++)
        if (x->node[i]->kind == NODE_ALLOC && !devmem_asleep(x->node[i]->memory.p))
            return false;
    return true;
}

CuErr rt_cudaGraphLaunch(void *exec, void *stream)
{
    ENTER();
    Graph        *x = cgraph_of(exec, true);
    const Stream *s = stream_of(stream);
    if (!x || !s)
        return LEAVE(s ? cudaErrorInvalidValue : stream_error(stream));
    if (!(x->flags & FREE_AT_LAUNCH) && !queue_any() && !memory_free(x))
        return LEAVE(cudaErrorInvalidValue);
    if (s->capture && s->capture->invalid)
        return LEAVE(cudaErrorStreamCaptureUnsupported); /* as a card says of a graph, and of no other work */
    GraphNode n = {.kind = NODE_CHILD, .child = x};
    return LEAVE(stream_do(stream, &n));
}

CuErr rt_cudaGraphUpload(void *exec, void *stream)
{
    ENTER();
    return LEAVE(cgraph_of(exec, true) && stream_of(stream) ? cudaSuccess : cudaErrorInvalidValue);
}

/* The same kinds in the same order with the same dependencies: then the payloads are taken over. */
static int update(Graph *x, const Graph *g)
{
    if (x->nnodes != g->nnodes)
        return UPDATE_TOPOLOGY;
    for (size_t i = 0; i < g->nnodes; i++) {
        if (x->node[i]->kind != g->node[i]->kind)
            return UPDATE_TYPE;
        if (x->node[i]->ndeps != g->node[i]->ndeps)
            return UPDATE_TOPOLOGY;
    }
    for (size_t i = 0; i < g->nnodes; i++)
        cgraph_take(x->node[i], g->node[i]);
    return UPDATE_OK;
}

CuErr rt_cudaGraphExecUpdate(void *exec, void *graph, UpdateResult *out)
{
    ENTER();
    Graph *x = cgraph_of(exec, true), *g = cgraph_of(graph, false);
    if (!x || !g)
        return LEAVE(cudaErrorInvalidValue);
    int r = update(x, g);
    if (out)
        *out = (UpdateResult){.result = r};
    return LEAVE(r == UPDATE_OK ? cudaSuccess : cudaErrorGraphExecUpdateFailure);
}

CuErr rt_cudaGraphExecUpdate_12(void *exec, void *graph, void **error_node, int *result)
{
    UpdateResult u = {0};
    CuErr        e = rt_cudaGraphExecUpdate(exec, graph, &u);
    if (error_node)
        *error_node = NULL;
    if (result)
        *result = u.result;
    return e;
}

/* ---- nodes ---- */

GraphNode *graph_add(void *graph, NodeKind kind, void *const *deps, size_t n, CuErr *e)
{
    Graph *g = cgraph_of(graph, false);
    *e       = g && (deps || !n) ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; *e == cudaSuccess && i < n; i++) {
        if (!node_of(deps[i]) || node_of(deps[i])->graph != g)
            *e = cudaErrorInvalidValue;
        for (size_t j = 0; j < i; j++)
            if (deps[j] == deps[i])
                *e = cudaErrorInvalidValue;
    }
    return *e == cudaSuccess ? cgraph_add(g, kind, (GraphNode *const *)deps, n) : NULL;
}

CuErr node_set_kernel_params(GraphNode *n, const KernelParams *p)
{
    CuErr     e;
    Kernel   *k = p ? kernel_find(p->func, &e) : (e = cudaErrorInvalidValue, NULL);
    LaunchAsk a;
    if (!k)
        return e;
    a = (LaunchAsk){.grid = p->grid, .block = p->block, .shared = p->shared, .args = p->args};
    e = p->extra && !p->args ? launch_unpack(k, p->extra, &a) : cudaSuccess;
    if (e == cudaSuccess)
        e = launch_check(k, &a);
    return e == cudaSuccess ? node_set_kernel(n, k, &a) : e;
}

CuErr rt_cudaGraphAddKernelNode(void **out, void *graph, void *const *deps, size_t n, const KernelParams *p)
{
    ENTER();
    CuErr      e    = cudaErrorInvalidValue;
    GraphNode *node = out ? graph_add(graph, NODE_KERNEL, deps, n, &e) : NULL;
    if (!node)
        return LEAVE(e);
    e    = node_set_kernel_params(node, p);
    *out = node;
    if (e != cudaSuccess)
        node_free(node);
    return LEAVE(e);
}

CuErr rt_cudaGraphKernelNodeGetParams(void *node, KernelParams *p)
{
    ENTER();
    GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_KERNEL || !p)
        return LEAVE(cudaErrorInvalidValue);
    *p = (KernelParams){(void *)(uintptr_t)(n->kernel->host ? n->kernel->host : n->kernel),
                        n->ask.grid,
                        n->ask.block,
                        (unsigned)n->ask.shared,
                        n->ask.args,
                        NULL};
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphKernelNodeSetParams(void *node, const KernelParams *p)
{
    ENTER();
    GraphNode *n = node_of(node);
    return LEAVE(n && n->kind == NODE_KERNEL ? node_set_kernel_params(n, p) : cudaErrorInvalidValue);
}

GraphNode *graph_in_exec(void *exec, void *node, NodeKind kind)
{
    const Graph *x = cgraph_of(exec, true);
    for (size_t i = 0; x && i < x->nnodes; i++)
        if (x->node[i]->origin == node && x->node[i]->kind == kind)
            return x->node[i];
    return NULL;
}

CuErr rt_cudaGraphExecKernelNodeSetParams(void *exec, void *node, const KernelParams *p)
{
    ENTER();
    GraphNode *n = graph_in_exec(exec, node, NODE_KERNEL);
    return LEAVE(n ? node_set_kernel_params(n, p) : cudaErrorInvalidValue);
}

CuErr rt_cudaGraphAddMemcpyNode1D(void **out, void *graph, void *const *deps, size_t n, void *dst, const void *src,
                                  size_t bytes, int kind)
{
    ENTER();
    CuErr    e;
    NodeCopy c      = {.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    e               = out && bytes ? devmem_check_copy(dst, bytes, src, bytes, kind) : cudaErrorInvalidValue;
    GraphNode *node = e == cudaSuccess ? graph_add(graph, NODE_COPY, deps, n, &e) : NULL;
    if (node) {
        node->copy = c;
        *out       = node;
    }
    return LEAVE(e);
}

CuErr node_set_copy_params(GraphNode *n, const CopyParms3D *c)
{
    return array_copy_parms(c, &n->copy);
}

CuErr rt_cudaGraphAddMemcpyNode(void **out, void *graph, void *const *deps, size_t n, const CopyParms3D *c)
{
    ENTER();
    CuErr      e    = cudaErrorInvalidValue;
    GraphNode *node = out ? graph_add(graph, NODE_COPY, deps, n, &e) : NULL;
    if (!node)
        return LEAVE(e);
    e    = node_set_copy_params(node, c);
    *out = node;
    if (e != cudaSuccess)
        node_free(node);
    return LEAVE(e);
}

CuErr rt_cudaGraphMemcpyNodeSetParams(void *node, const CopyParms3D *c)
{
    ENTER();
    GraphNode *n = node_of(node);
    return LEAVE(n && n->kind == NODE_COPY ? node_set_copy_params(n, c) : cudaErrorInvalidValue);
}

CuErr rt_cudaGraphExecMemcpyNodeSetParams(void *exec, void *node, const CopyParms3D *c)
{
    ENTER();
    GraphNode *n = graph_in_exec(exec, node, NODE_COPY);
    return LEAVE(n ? node_set_copy_params(n, c) : cudaErrorInvalidValue);
}

CuErr rt_cudaGraphExecMemcpyNodeSetParams1D(void *exec, void *node, void *dst, const void *src, size_t bytes, int kind)
{
    ENTER();
    GraphNode *n = graph_in_exec(exec, node, NODE_COPY);
    if (n)
        n->copy = (NodeCopy){.dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = kind};
    return LEAVE(n ? cudaSuccess : cudaErrorInvalidValue);
}

NodeSet node_set_of(const SetParams *p)
{
    return (NodeSet){p->dst, p->pitch, p->value, p->element, p->width, p->height};
}

CuErr rt_cudaGraphAddMemsetNode(void **out, void *graph, void *const *deps, size_t n, const SetParams *p)
{
    ENTER();
    CuErr e;
    if (!p || !out || (p->element != 1 && p->element != 2 && p->element != 4))
        return LEAVE(cudaErrorInvalidValue);
    size_t bytes    = size_rows(p->pitch, p->height, size_mul(p->width, p->element));
    e               = devmem_check_copy(p->dst, bytes, p->dst, bytes, COPY_DEVICE_TO_DEVICE);
    GraphNode *node = e == cudaSuccess ? graph_add(graph, NODE_SET, deps, n, &e) : NULL;
    if (node) {
        node->set = node_set_of(p);
        *out      = node;
    }
    return LEAVE(e);
}

CuErr rt_cudaGraphMemsetNodeSetParams(void *node, const SetParams *p)
{
    ENTER();
    GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_SET || !p)
        return LEAVE(cudaErrorInvalidValue);
    n->set = node_set_of(p);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphExecMemsetNodeSetParams(void *exec, void *node, const SetParams *p)
{
    ENTER();
    GraphNode *n = graph_in_exec(exec, node, NODE_SET);
    if (!n || !p)
        return LEAVE(cudaErrorInvalidValue);
    n->set = node_set_of(p);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphAddHostNode(void **out, void *graph, void *const *deps, size_t n, const HostParams *p)
{
    ENTER();
    CuErr      e    = cudaErrorInvalidValue;
    GraphNode *node = p && p->fn ? graph_add(graph, NODE_HOST, deps, n, &e) : NULL;
    if (node) {
        node->host = (NodeHost){p->fn, p->user};
        *out       = node;
    }
    return LEAVE(e);
}

CuErr rt_cudaGraphExecHostNodeSetParams(void *exec, void *node, const HostParams *p)
{
    ENTER();
    GraphNode *n = graph_in_exec(exec, node, NODE_HOST);
    if (!n || !p || !p->fn)
        return LEAVE(cudaErrorInvalidValue);
    n->host = (NodeHost){p->fn, p->user};
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphAddEmptyNode(void **out, void *graph, void *const *deps, size_t n)
{
    ENTER();
    CuErr      e;
    GraphNode *node = out ? graph_add(graph, NODE_EMPTY, deps, n, &e) : (e = cudaErrorInvalidValue, NULL);
    if (node)
        *out = node;
    return LEAVE(e);
}

CuErr rt_cudaGraphAddChildGraphNode(void **out, void *graph, void *const *deps, size_t n, void *child)
{
    ENTER();
    CuErr      e    = cudaErrorInvalidValue;
    Graph     *c    = cgraph_of(child, false);
    GraphNode *node = c && child != graph ? graph_add(graph, NODE_CHILD, deps, n, &e) : NULL;
    if (node) {
        node->child = cgraph_clone(c);
        *out        = node;
    }
    return LEAVE(e);
}

static CuErr event_node(void **out, void *graph, void *const *deps, size_t n, void *event, NodeKind kind)
{
    CuErr      e    = cudaErrorInvalidValue;
    GraphNode *node = out && event_of(event) ? graph_add(graph, kind, deps, n, &e) : NULL;
    if (node) {
        node->event = event;
        *out        = node;
    }
    return e;
}

CuErr rt_cudaGraphAddEventRecordNode(void **out, void *graph, void *const *deps, size_t n, void *event)
{
    ENTER();
    return LEAVE(event_node(out, graph, deps, n, event, NODE_EVENT_RECORD));
}

CuErr rt_cudaGraphAddEventWaitNode(void **out, void *graph, void *const *deps, size_t n, void *event)
{
    ENTER();
    return LEAVE(event_node(out, graph, deps, n, event, NODE_EVENT_WAIT));
}

CuErr rt_cudaGraphDestroyNode(void *node)
{
    ENTER();
    GraphNode *n = node_of(node);
    if (n && (n->kind == NODE_ALLOC || n->kind == NODE_FREE))
        return LEAVE(cudaErrorNotSupported);
    if (n)
        node_free(n);
    return LEAVE(n ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaGraphNodeGetType(void *node, int *kind)
{
    ENTER();
    const GraphNode *n = kind ? node_of(node) : NULL;
    if (n)
        *kind = (int)n->kind;
    return LEAVE(n ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaGraphNodeFindInClone(void **out, void *node, void *clone)
{
    ENTER();
    const Graph *c = out && node ? cgraph_of(clone, false) : NULL;
    for (size_t i = 0; c && i < c->nnodes; i++)
        if (c->node[i]->origin == node) {
            *out = c->node[i];
            return LEAVE(cudaSuccess);
        }
    return LEAVE(cudaErrorInvalidValue);
}

CuErr rt_cudaGraphNodeSetEnabled(void *exec, void *node, unsigned on)
{
    ENTER();
    Graph *x = cgraph_of(exec, true);
    for (size_t i = 0; x && i < x->nnodes; i++)
        if (x->node[i]->origin == node) {
            x->node[i]->off = !on;
            return LEAVE(cudaSuccess);
        }
    return LEAVE(cudaErrorInvalidValue);
}
