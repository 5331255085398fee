/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes, their order and their execution.  Every graph and node that exists is in a list, so a handle that is not one of ours is an error,
 * never a crash.  Arguments of kernel nodes are copied when the node is made, as the interface promises. */
#include "cuda/work/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/memory/devmem.h"
#include "cuda/work/sequence.h"

static const unsigned GRAPH_MAGIC = 0x67726170, NODE_MAGIC = 0x6e6f6465;

static Graph  **all;
static size_t   nall, cap;
static uint64_t serials;

Graph *cgraph_new(void)
{
    Graph *g = xcalloc(1, sizeof *g);
    g->magic = GRAPH_MAGIC;
    if (nall == cap) {
        cap = cap ? cap * 2 : 16;
        all = xrealloc(all, cap * sizeof *all);
    }
    all[nall++] = g;
    return g;
}

Graph *cgraph_of(void *handle, bool exec)
{
    for (size_t i = 0; i < nall; i++)
        if (all[i] == handle)
            return all[i]->exec == exec ? all[i] : NULL;
    return NULL;
}

GraphNode *node_of(void *handle)
{
    for (size_t i = 0; handle && i < nall; i++)
        for (size_t j = 0; j < all[i]->nnodes; j++)
            if (all[i]->node[j] == handle)
                return all[i]->node[j];
    return NULL;
}

static void drop_args(GraphNode *n)
{
    for (size_t i = 0; i < n->nargs; i++)
        free(n->ask.args[i]);
    free(n->ask.args);
    n->ask.args = NULL;
    n->nargs    = 0;
}

void node_name_kernel(GraphNode *n, Kernel *k)
{
    if (k)
        kernel_hold(k);
    if (n->kernel)
        kernel_let_go(n->kernel);
    n->kernel = k;
}

/* Frees a node that its graph no longer lists. */
static void release(GraphNode *n)
{
    if (n->kind == NODE_KERNEL) {
        drop_args(n);
        node_name_kernel(n, NULL);
    }
    if (n->kind == NODE_COPY)
        free(n->copy.owned);
    free(n->after);
    sequence_free(n->work);
    if (n->kind == NODE_CHILD && n->child)
        cgraph_free(n->child);
    if (n->kind == NODE_CONDITIONAL) {
        for (unsigned i = 0; i < n->condition.size; i++)
            cgraph_free(n->condition.body[i]);
        free(n->condition.body);
    }
    if (n->kind == NODE_ALLOC && n->memory.p)
        devmem_take_from_graph(n->memory.p);
    free(n->attrs);
    n->magic = 0;
    free(n->deps);
    free(n);
}

void node_free(GraphNode *n)
{
    Graph *g = n->graph;
    for (size_t i = 0; i < g->nnodes; i++)
        if (g->node[i] == n) {
            memmove(g->node + i, g->node + i + 1, (g->nnodes - i - 1) * sizeof(GraphNode *));
            g->nnodes--;
            break;
        }
    for (size_t i = 0; i < g->nnodes; i++) {
        GraphNode *o    = g->node[i];
        size_t     kept = 0;
        for (size_t j = 0; j < o->ndeps; j++)
            if (o->deps[j] != n)
                o->deps[kept++] = o->deps[j];
        o->ndeps = kept;
    }
    release(n);
}

void cgraph_free(Graph *g)
{
    while (g->nnodes)
        release(g->node[--g->nnodes]);
    for (size_t i = 0; i < nall; i++)
        if (all[i] == g) {
            all[i] = all[--nall];
            break;
        }
    cgraph_disown_all(g);
    if (g->end)
        free(g->end->know.count);
    free(g->end);
    free(g->condition);
    free(g->node);
    free(g);
}

bool node_add_dep(GraphNode *n, GraphNode *dep)
{
    for (size_t i = 0; i < n->ndeps; i++)
        if (n->deps[i] == dep)
            return false;
    n->deps             = xrealloc(n->deps, (n->ndeps + 1) * sizeof(GraphNode *));
    n->deps[n->ndeps++] = dep;
    return true;
}

void node_edge(GraphNode *n, const EdgeData *edges, size_t i)
{
    enum { PROGRAMMATIC = 1 };
    if (edges && n->kind == NODE_KERNEL && edges[i].type == PROGRAMMATIC)
        n->ask.programmatic = true;
}

GraphNode *cgraph_add(Graph *g, NodeKind kind, GraphNode *const *deps, size_t ndeps)
{
    GraphNode *n         = xcalloc(1, sizeof *n);
    n->magic             = NODE_MAGIC;
    n->kind              = kind;
    n->graph             = g;
    n->serial            = ++serials;
    g->node              = xrealloc(g->node, (g->nnodes + 1) * sizeof(GraphNode *));
    g->node[g->nnodes++] = n;
    for (size_t i = 0; i < ndeps; i++)
        node_add_dep(n, deps[i]);
    return n;
}

CuErr node_set_kernel(GraphNode *n, Kernel *k, const LaunchAsk *ask)
{
    CuErr       e;
    WwModule   *m;
    const Func *f = kernel_func(k, state_current(), &m, &e);
    if (!f)
        return e;
    if (f->nparams && !ask->args)
        return cudaErrorInvalidValue;
    void **args = xcalloc(f->nparams + 1, sizeof *args);
    for (size_t i = 0; i < f->nparams; i++) {
        args[i] = xmalloc(f->params[i].bytes + 1);
        memcpy(args[i], ask->args[i], f->params[i].bytes);
    }
    drop_args(n);
    node_name_kernel(n, k);
    n->ask       = *ask;
    n->ask.args  = args;
    n->ask.event = NULL;
    n->nargs     = f->nparams;
    for (int i = 0; n->attrs && i < ATTRIBUTES; i++)
        if (n->attrs[i].id)
            launch_read_attributes(&n->ask, &n->attrs[i], 1);
    return cudaSuccess;
}

void node_copy_attributes(GraphNode *to, const GraphNode *from)
{
    for (int i = 0; from->attrs && i < ATTRIBUTES; i++) {
        if (!to->attrs)
            to->attrs = xcalloc(ATTRIBUTES, sizeof *to->attrs);
        to->attrs[i] = from->attrs[i];
        if (to->attrs[i].id)
            launch_read_attributes(&to->ask, &to->attrs[i], 1);
    }
}

CuErr cgraph_copy_payload(GraphNode *to, const GraphNode *from)
{
    CuErr e = cudaSuccess;
    to->off = from->off;
    switch (from->kind) {
    case NODE_KERNEL:
        e = node_set_kernel(to, from->kernel, &from->ask);
        if (e != cudaSuccess)
            node_name_kernel(to, from->kernel); /* it cannot be launched, but shown */
        node_copy_attributes(to, from);
        break;
    case NODE_COPY: to->copy = from->copy; break;
    case NODE_SET: to->set = from->set; break;
    case NODE_HOST: to->host = from->host; break;
    case NODE_CHILD: to->child = cgraph_clone(from->child); break;
    case NODE_ALLOC:
        if (from->memory.p)
            devmem_give_to_graph(from->memory.p);
        to->memory = from->memory;
        break;
    case NODE_FREE: to->memory = from->memory; break;
    case NODE_CONDITIONAL:
        to->condition      = from->condition;
        to->condition.body = xcalloc(from->condition.size, sizeof(Graph *));
        for (unsigned i = 0; i < from->condition.size; i++)
            to->condition.body[i] = cgraph_clone(from->condition.body[i]);
        break;
    case NODE_WAIT_VALUE:
    case NODE_WRITE_VALUE: to->value = from->value; break;
    default: to->event = from->event;
    }
    return e;
}

void cgraph_take(GraphNode *to, const GraphNode *from)
{
    if (to->kind == NODE_CHILD)
        cgraph_free(to->child);
    if (to->kind == NODE_CONDITIONAL) {
        for (unsigned i = 0; i < to->condition.size; i++)
            cgraph_free(to->condition.body[i]);
        free(to->condition.body);
    }
    if (to->kind == NODE_ALLOC)
        devmem_take_from_graph(to->memory.p);
    cgraph_copy_payload(to, from);
}

Graph *cgraph_clone(const Graph *g)
{
    Graph *c = cgraph_new();
    for (size_t i = 0; i < g->nnodes; i++) {
        GraphNode *n = cgraph_add(c, g->node[i]->kind, NULL, 0);
        cgraph_copy_payload(n, g->node[i]);
        n->origin = g->node[i];
    }
    cgraph_own_as(c, g);
    c->condition = xcalloc(g->nconditions + 1, sizeof *c->condition);
    for (c->nconditions = 0; c->nconditions < g->nconditions; c->nconditions++)
        c->condition[c->nconditions] = g->condition[c->nconditions];
    for (size_t i = 0; i < g->nnodes; i++)
        for (size_t d = 0; d < g->node[i]->ndeps; d++)
            for (size_t j = 0; j < g->nnodes; j++)
                if (g->node[j] == g->node[i]->deps[d])
                    node_add_dep(c->node[i], c->node[j]);
    return c;
}

GraphNode **cgraph_order(const Graph *g)
{
    GraphNode **order = xcalloc(g->nnodes + 1, sizeof *order);
    bool       *done  = xcalloc(g->nnodes + 1, sizeof *done);
    size_t      n     = 0;
    for (bool moved = true; moved && n < g->nnodes;) {
        moved = false;
        for (size_t i = 0; i < g->nnodes; i++) {
            bool ready = !done[i];
            for (size_t d = 0; ready && d < g->node[i]->ndeps; d++) {
                size_t j = 0;
                while (j < n && order[j] != g->node[i]->deps[d])
                    j++;
                ready = j < n;
            }
            if (ready) {
                order[n++] = g->node[i];
                done[i]    = true;
                moved      = true;
            }
        }
    }
    free(done);
    if (n == g->nnodes)
        return order;
    free(order);
    return NULL;
}

void cgraph_begin(const Graph *g)
{
    for (size_t i = 0; i < g->nconditions; i++)
        if (g->condition[i].assign)
            memcpy((void *)(uintptr_t)g->condition[i].handle, &g->condition[i].value, sizeof g->condition[i].value);
    for (size_t i = 0; i < g->nnodes; i++)
        if (g->node[i]->kind == NODE_CHILD)
            cgraph_begin(g->node[i]->child);
}

/* A handle is the address of a word of device memory, which kernels write with cudaGraphSetConditional; it lasts as long as the process. */
static uint64_t *conditions;
static size_t    nconditions;

CuErr cgraph_new_condition(Graph *g, unsigned value, bool assign, uint64_t *handle)
{
    CuErr     e;
    WwDevice *d = state_device(state_current(), &e);
    if (!d)
        return e;
    if (ww_alloc(d, sizeof value, handle) != WW_OK)
        return cudaErrorMemoryAllocation;
    memcpy((void *)(uintptr_t)*handle, &value, sizeof value);
    emulator_tell(d, MEMORY_SEEN, *handle, 0, sizeof value);
    conditions                     = xrealloc(conditions, (nconditions + 1) * sizeof *conditions);
    conditions[nconditions++]      = *handle;
    g->condition                   = xrealloc(g->condition, (g->nconditions + 1) * sizeof *g->condition);
    g->condition[g->nconditions++] = (struct Condition){*handle, value, assign};
    return cudaSuccess;
}

bool cgraph_condition(uint64_t handle)
{
    for (size_t i = 0; i < nconditions; i++)
        if (conditions[i] == handle)
            return true;
    return false;
}
