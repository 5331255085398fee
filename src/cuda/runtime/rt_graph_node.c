/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: nodes of graphs from one description for all kinds, conditional nodes and memory nodes, what nodes were made from,
 * attributes of kernel nodes, user objects. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/runtime/graph_params.h"
#include "cuda/work/event.h"
#include "cuda/work/graph.h"

/* ---- nodes from a description ---- */

static CuErr fill_conditional(GraphNode *n, ConditionalParams *p)
{
    const Graph *g    = n->graph;
    bool         ours = false;
    for (size_t i = 0; i < g->nconditions; i++)
        ours |= g->condition[i].handle == p->handle;
    for (size_t i = 0; i < g->nnodes; i++)
        if (g->node[i] != n && g->node[i]->kind == NODE_CONDITIONAL && g->node[i]->condition.handle == p->handle)
            return cudaErrorInvalidValue; /* a condition has one node */
    if (!ours || !cgraph_condition(p->handle) || p->type < 0 || p->type > 2 || !p->size || p->size > MAX_BODIES ||
        (p->type == 0 && p->size > 2) || (p->type == 1 && p->size != 1))
        return cudaErrorInvalidValue;
    n->condition      = (NodeCondition){.handle = p->handle, .type = p->type, .size = p->size};
    n->condition.body = xcalloc(p->size, sizeof(Graph *));
    for (unsigned i = 0; i < p->size; i++)
        n->condition.body[i] = cgraph_new();
    p->graphs = n->condition.body;
    return cudaSuccess;
}

/* Which nodes of its graph come before a node, by their places in the graph; to be freed. */
static bool *before_node(const GraphNode *n)
{
    const Graph *g    = n->graph;
    bool        *seen = xcalloc(g->nnodes, sizeof *seen);
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < g->nnodes; i++)
            for (size_t j = 0; (seen[i] || g->node[i] == n) && j < g->node[i]->ndeps; j++)
                for (size_t k = 0; k < g->nnodes; k++)
                    if (g->node[k] == g->node[i]->deps[j] && !seen[k])
                        more = seen[k] = true;
    }
    return seen;
}

/* Has the graph freed an address again by the time it comes to a node?  Then every allocation there has a free before the node. */
static bool is_freed_before(const GraphNode *n, const void *p)
{
    const Graph *g      = n->graph;
    bool        *before = before_node(n);
    int          open   = 0;
    for (size_t i = 0; i < g->nnodes; i++) {
        const GraphNode *o = g->node[i];
        if ((o->kind != NODE_ALLOC && o->kind != NODE_FREE) || o == n || o->memory.p != p)
            continue;
        if (o->kind == NODE_ALLOC)
            open++;
        else if (before[i])
            open--;
    }
    free(before);
    return open == 0;
}

/* An address that the graph can use once more, or NULL. */
static void *used_before(const GraphNode *n, size_t bytes, int device)
{
    for (size_t i = 0; i < n->graph->nnodes; i++) {
        const GraphNode *a = n->graph->node[i];
        if (a->kind != NODE_ALLOC || a == n || a->memory.bytes != bytes)
            continue;
        const Range *r = devmem_range((uint64_t)(uintptr_t)a->memory.p);
        if (r && r->device == device && is_freed_before(n, a->memory.p))
            return a->memory.p;
    }
    return NULL;
}

static CuErr fill_alloc(GraphNode *n, AllocParams *p)
{
    void *at     = NULL;
    int   before = state_current();
    if (p->props.location_type != LOCATION_DEVICE || p->props.location_id < 0 || p->props.location_id >= state.count ||
        !p->bytes)
        return cudaErrorInvalidValue;
    CuErr e = cudaSuccess;
    at      = used_before(n, p->bytes, p->props.location_id);
    if (!at) {
        state_set_current(p->props.location_id);
        e = devmem_new(MEMORY_DEVICE, p->bytes, 0, &at);
        state_set_current(before);
    }
    if (e != cudaSuccess)
        return e;
    devmem_give_to_graph(at);
    n->memory = (NodeMemory){at, p->bytes, false};
    p->at     = at;
    return cudaSuccess;
}

/* As many frees of an address in the graph as there are allocations; one for an allocation of elsewhere. */
static bool freed_already(const Graph *g, const void *p)
{
    unsigned allocated = 0, freed = 0;
    for (size_t i = 0; i < g->nnodes; i++) {
        allocated += g->node[i]->kind == NODE_ALLOC && g->node[i]->memory.p == p;
        freed += g->node[i]->kind == NODE_FREE && g->node[i]->memory.p == p;
    }
    return freed >= (allocated ? allocated : 1);
}

/* The payload of a node of the description's kind. */
static CuErr fill(GraphNode *n, NodeParams *p)
{
    switch (p->kind) {
    case NODE_KERNEL: return node_set_kernel_params(n, &p->kernel);
    case NODE_COPY: return node_set_copy_params(n, &p->copy.parms);
    case NODE_SET: n->set = node_set_of(&p->set); return cudaSuccess;
    case NODE_HOST:
        n->host = (NodeHost){p->host.fn, p->host.user};
        return p->host.fn ? cudaSuccess : cudaErrorInvalidValue;
    case NODE_CHILD: {
        const Graph *g = cgraph_of(p->child, false);
        if (!g || g == n->graph)
            return cudaErrorInvalidValue;
        if (n->child)
            cgraph_free(n->child);
        n->child = cgraph_clone(g);
        return cudaSuccess;
    }
    case NODE_EMPTY: return cudaSuccess;
    case NODE_EVENT_WAIT:
    case NODE_EVENT_RECORD: n->event = p->event; return event_of(p->event) ? cudaSuccess : cudaErrorInvalidValue;
    case NODE_ALLOC: return fill_alloc(n, &p->alloc);
    case NODE_FREE:
        if (freed_already(n->graph, p->at))
            return cudaErrorInvalidValue;
        n->memory = (NodeMemory){p->at, 0, false};
        return cudaSuccess;
    case NODE_CONDITIONAL: return fill_conditional(n, &p->conditional);
    default: return p->kind > NODE_CONDITIONAL ? cudaErrorInvalidValue : cudaErrorNotSupported;
    }
}

static CuErr add_node(void **out, void *graph, void *const *deps, size_t n, NodeParams *p)
{
    CuErr      e;
    GraphNode *node = out && p ? graph_add(graph, (NodeKind)p->kind, deps, n, &e) : (e = cudaErrorInvalidValue, NULL);
    if (!node)
        return e;
    e = fill(node, p);
    if (e == cudaSuccess)
        *out = node;
    else
        node_free(node);
    return e;
}

CuErr rt_cudaGraphAddNode(void **out, void *graph, void *const *deps, const void *edges, size_t n, NodeParams *p)
{
    ENTER();
    CuErr e = add_node(out, graph, deps, n, p);
    for (size_t i = 0; e == cudaSuccess && i < n; i++)
        node_edge(node_of(*out), edges, i);
    return LEAVE(e);
}

CuErr rt_cudaGraphAddNode_12(void **out, void *graph, void *const *deps, size_t n, NodeParams *p)
{
    ENTER();
    return LEAVE(add_node(out, graph, deps, n, p));
}

static CuErr set_node(GraphNode *n, NodeParams *p)
{
    bool fixed = p && (p->kind == NODE_ALLOC || p->kind == NODE_FREE || p->kind == NODE_CONDITIONAL);
    return n && p && (int)n->kind == p->kind && !fixed ? fill(n, p) : cudaErrorInvalidValue;
}

CuErr rt_cudaGraphNodeSetParams(void *node, NodeParams *p)
{
    ENTER();
    return LEAVE(set_node(node_of(node), p));
}

CuErr rt_cudaGraphExecNodeSetParams(void *exec, void *node, NodeParams *p)
{
    ENTER();
    return LEAVE(p ? set_node(graph_in_exec(exec, node, (NodeKind)p->kind), p) : cudaErrorInvalidValue);
}

/* ---- conditions and memory ---- */

CuErr rt_cudaGraphConditionalHandleCreate(uint64_t *out, void *graph, unsigned value, unsigned flags)
{
    ENTER();
    Graph *g = cgraph_of(graph, false);
    return LEAVE(!g || !out || flags > 1 ? cudaErrorInvalidValue : cgraph_new_condition(g, value, flags & 1, out));
}

CuErr rt_cudaGraphAddMemAllocNode(void **out, void *graph, void *const *deps, size_t n, AllocParams *p)
{
    ENTER();
    NodeParams all = {.kind = NODE_ALLOC};
    if (!p)
        return LEAVE(cudaErrorInvalidValue);
    all.alloc = *p;
    CuErr e   = add_node(out, graph, deps, n, &all);
    if (e == cudaSuccess)
        p->at = all.alloc.at;
    return LEAVE(e);
}

CuErr rt_cudaGraphAddMemFreeNode(void **out, void *graph, void *const *deps, size_t n, void *p)
{
    ENTER();
    NodeParams all = {.kind = NODE_FREE, .at = p};
    return LEAVE(p ? add_node(out, graph, deps, n, &all) : cudaErrorInvalidValue);
}

CuErr rt_cudaGraphMemAllocNodeGetParams(void *node, AllocParams *p)
{
    ENTER();
    const GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_ALLOC || !p)
        return LEAVE(cudaErrorInvalidValue);
    memset(p, 0, sizeof *p);
    const Range *r = devmem_range((uint64_t)(uintptr_t)n->memory.p);
    p->props       = (PoolProps){.type = 1, .location_type = 1, .location_id = r ? r->device : 0};
    p->bytes       = n->memory.bytes;
    p->at          = n->memory.p;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphMemFreeNodeGetParams(void *node, void **out)
{
    ENTER();
    const GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_FREE || !out)
        return LEAVE(cudaErrorInvalidValue);
    *out = n->memory.p;
    return LEAVE(cudaSuccess);
}

static CuErr graph_memory(int device, int attr, uint64_t *value, bool reset)
{
    if (device < 0 || device >= state.count)
        return cudaErrorInvalidDevice;
    if (attr < 0 || attr > 3 || !value)
        return cudaErrorInvalidValue;
    uint64_t now, high;
    devmem_of_graphs(device, attr >= 2, &now, &high);
    if (reset)
        return attr % 2 && !*value ? (devmem_graphs_reset(device), cudaSuccess) : cudaErrorInvalidValue;
    *value = attr % 2 ? high : now;
    return cudaSuccess;
}

CuErr rt_cudaDeviceGetGraphMemAttribute(int device, int attr, uint64_t *value)
{
    ENTER();
    return LEAVE(graph_memory(device, attr, value, false));
}

CuErr rt_cudaDeviceSetGraphMemAttribute(int device, int attr, uint64_t *value)
{
    ENTER();
    return LEAVE(graph_memory(device, attr, value, true));
}

CuErr rt_cudaDeviceGraphMemTrim(int device)
{
    ENTER();
    if (device < 0 || device >= state.count)
        return LEAVE(cudaErrorInvalidDevice);
    devmem_graphs_trim(device);
    return LEAVE(cudaSuccess);
}

/* ---- questions ---- */

static const GraphNode *of_kind(void *node, NodeKind kind)
{
    const GraphNode *n = node_of(node);
    return n && n->kind == kind ? n : NULL;
}

CuErr rt_cudaGraphMemcpyNodeGetParams(void *node, CopyParms3D *p)
{
    ENTER();
    const GraphNode *n = of_kind(node, NODE_COPY);
    if (!n || !p)
        return LEAVE(cudaErrorInvalidValue);
    const NodeCopy *c = &n->copy;
    *p                = (CopyParms3D){.src    = {(void *)(uintptr_t)c->src, c->spitch, c->width, c->height},
                                      .dst    = {c->dst, c->dpitch, c->width, c->height},
                                      .extent = {c->width, c->height, c->depth},
                                      .kind   = c->kind};
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphMemsetNodeGetParams(void *node, SetParams *p)
{
    ENTER();
    const GraphNode *n = of_kind(node, NODE_SET);
    if (!n || !p)
        return LEAVE(cudaErrorInvalidValue);
    *p = (SetParams){n->set.dst, n->set.pitch, n->set.value, n->set.element, n->set.width, n->set.height};
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphHostNodeGetParams(void *node, HostParams *p)
{
    ENTER();
    const GraphNode *n = of_kind(node, NODE_HOST);
    if (!n || !p)
        return LEAVE(cudaErrorInvalidValue);
    *p = (HostParams){n->host.fn, n->host.user};
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphHostNodeSetParams(void *node, const HostParams *p)
{
    ENTER();
    GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_HOST || !p || !p->fn)
        return LEAVE(cudaErrorInvalidValue);
    n->host = (NodeHost){p->fn, p->user};
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphChildGraphNodeGetGraph(void *node, void **out)
{
    ENTER();
    const GraphNode *n = of_kind(node, NODE_CHILD);
    if (!n || !out)
        return LEAVE(cudaErrorInvalidValue);
    *out = n->child;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphExecChildGraphNodeSetParams(void *exec, void *node, void *child)
{
    ENTER();
    GraphNode *n = graph_in_exec(exec, node, NODE_CHILD);
    NodeParams p = {.kind = NODE_CHILD, .child = child};
    return LEAVE(set_node(n, &p));
}

#define EVENT_NODE(name, node_kind)                                                                                    \
    CuErr rt_cudaGraph##name##NodeGetEvent(void *node, void **out)                                                     \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        const GraphNode *n = of_kind(node, node_kind);                                                                 \
        if (!n || !out)                                                                                                \
            return LEAVE(cudaErrorInvalidValue);                                                                       \
        *out = n->event;                                                                                               \
        return LEAVE(cudaSuccess);                                                                                     \
    }                                                                                                                  \
    CuErr rt_cudaGraph##name##NodeSetEvent(void *node, void *event)                                                    \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        NodeParams p = {.kind = node_kind, .event = event};                                                            \
        return LEAVE(set_node(node_of(node), &p));                                                                     \
    }                                                                                                                  \
    CuErr rt_cudaGraphExec##name##NodeSetEvent(void *exec, void *node, void *event)                                    \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        NodeParams p = {.kind = node_kind, .event = event};                                                            \
        return LEAVE(set_node(graph_in_exec(exec, node, node_kind), &p));                                              \
    }
EVENT_NODE(EventRecord, NODE_EVENT_RECORD)
EVENT_NODE(EventWait, NODE_EVENT_WAIT)

CuErr rt_cudaGraphNodeGetEnabled(void *exec, void *node, unsigned *on)
{
    ENTER();
    const Graph *x = cgraph_of(exec, true);
    for (size_t i = 0; on && x && i < x->nnodes; i++)
        if (x->node[i]->origin == node) {
            *on = !x->node[i]->off;
            return LEAVE(cudaSuccess);
        }
    return LEAVE(cudaErrorInvalidValue);
}

CuErr rt_cudaGraphExecGetFlags(void *exec, unsigned long long *flags)
{
    ENTER();
    const Graph *x = cgraph_of(exec, true);
    if (!x || !flags)
        return LEAVE(cudaErrorInvalidValue);
    *flags = x->flags;
    return LEAVE(cudaSuccess);
}

/* ---- attributes of kernel nodes ---- */

CuErr rt_cudaGraphKernelNodeSetAttribute(void *node, int id, const void *value)
{
    ENTER();
    GraphNode *n = node_of(node);
    if (!n || n->kind != NODE_KERNEL || !value || id < 1 || id >= ATTRIBUTES)
        return LEAVE(cudaErrorInvalidValue);
    LaunchAttribute a   = {.id = id};
    LaunchAsk       ask = {.event = NULL};
    memcpy(&a.value, value, sizeof a.value);
    launch_read_attributes(&ask, &a, 1);
    if (ask.event || ask.refused == cudaErrorNotSupported) /* a node has no stream to record an event in */
        return LEAVE(ask.event ? cudaErrorInvalidValue : ask.refused);
    if (!n->attrs)
        n->attrs = xcalloc(ATTRIBUTES, sizeof *n->attrs);
    n->attrs[id] = a;
    launch_read_attributes(&n->ask, &a, 1);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphKernelNodeGetAttribute(void *node, int id, void *value)
{
    ENTER();
    const GraphNode *n = of_kind(node, NODE_KERNEL);
    if (!n || !value || id < 1 || id >= ATTRIBUTES)
        return LEAVE(cudaErrorInvalidValue);
    LaunchAttribute a = {.id = id};
    if (n->attrs)
        a = n->attrs[id];
    memcpy(value, &a.value, sizeof a.value);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphKernelNodeCopyAttributes(void *to, void *from)
{
    ENTER();
    GraphNode       *a = node_of(to);
    const GraphNode *b = of_kind(from, NODE_KERNEL);
    if (!a || a->kind != NODE_KERNEL || !b)
        return LEAVE(cudaErrorInvalidValue);
    node_copy_attributes(a, b);
    return LEAVE(cudaSuccess);
}

/* ---- user objects ---- */

enum { NO_DESTRUCTOR_SYNC = 1 }; /* cudaUserObjectNoDestructorSync, which is required */

CuErr rt_cudaUserObjectCreate(UserObject **out, void *p, void (*destroy)(void *), unsigned count, unsigned flags)
{
    ENTER();
    if (!out || !destroy || !count || flags != NO_DESTRUCTOR_SYNC)
        return LEAVE(cudaErrorInvalidValue);
    *out = user_object_new(p, destroy, count);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaUserObjectRetain(UserObject *o, unsigned count)
{
    ENTER();
    return LEAVE(count && count <= INT_MAX && user_object_add(o, (int)count) ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaUserObjectRelease(UserObject *o, unsigned count)
{
    ENTER();
    return LEAVE(count && count <= INT_MAX && user_object_add(o, -(int)count) ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaGraphRetainUserObject(void *graph, UserObject *o, unsigned count, unsigned flags)
{
    ENTER();
    Graph *g = cgraph_of(graph, false);
    if (!g || !count || count > INT_MAX || flags > 1 || !user_object_add(o, flags ? 0 : (int)count))
        return LEAVE(cudaErrorInvalidValue);
    cgraph_own(g, o, count);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGraphReleaseUserObject(void *graph, UserObject *o, unsigned count)
{
    ENTER();
    Graph *g = cgraph_of(graph, false);
    return LEAVE(g && count && cgraph_disown(g, o, count) ? cudaSuccess : cudaErrorInvalidValue);
}
