/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: the shape of a graph: lists of its nodes, dependencies added, taken out and listed, its picture. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cuda/work/graph.h"

/* ---- nodes ---- */

static CuErr list_nodes(const Graph *g, bool roots, void **out, size_t *count)
{
    size_t n = 0, room = out && count ? *count : 0;
    if (!g || !count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < g->nnodes; i++) {
        if (roots && g->node[i]->ndeps)
            continue;
        if (n < room)
            out[n] = g->node[i];
        n++;
    }
    for (size_t i = n; i < room; i++)
        out[i] = NULL;
    *count = out && n > room ? room : n;
    return cudaSuccess;
}

CuErr rt_cudaGraphGetNodes(void *graph, void **nodes, size_t *count)
{
    ENTER();
    return LEAVE(list_nodes(cgraph_of(graph, false), false, nodes, count));
}

CuErr rt_cudaGraphGetRootNodes(void *graph, void **nodes, size_t *count)
{
    ENTER();
    return LEAVE(list_nodes(cgraph_of(graph, false), true, nodes, count));
}

/* ---- edges ---- */

static CuErr edges(void *graph, void **from, void **to, size_t n, bool on)
{
    const Graph *g = !n || (from && to) ? cgraph_of(graph, false) : NULL;
    for (size_t i = 0; g && i < n; i++) {
        GraphNode *a = node_of(from[i]), *b = node_of(to[i]);
        if (!a || !b || a->graph != g || b->graph != g)
            return cudaErrorInvalidValue;
        if (on && (a == b || !node_add_dep(b, a)))
            return cudaErrorInvalidValue;
        size_t kept = 0;
        for (size_t j = 0; !on && j < b->ndeps; j++)
            if (b->deps[j] != a)
                b->deps[kept++] = b->deps[j];
        if (!on && kept == b->ndeps)
            return cudaErrorInvalidValue;
        b->ndeps = on ? b->ndeps : kept;
    }
    return g ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr rt_cudaGraphAddDependencies(void *graph, void **from, void **to, const void *data, size_t n)
{
    ENTER();
    CuErr e = edges(graph, from, to, n, true);
    for (size_t i = 0; e == cudaSuccess && i < n; i++)
        node_edge(node_of(to[i]), data, i);
    return LEAVE(e);
}

CuErr rt_cudaGraphAddDependencies_12(void *graph, void **from, void **to, size_t n)
{
    ENTER();
    return LEAVE(edges(graph, from, to, n, true));
}

CuErr rt_cudaGraphRemoveDependencies(void *graph, void **from, void **to, const void *data, size_t n)
{
    (void)data;
    ENTER();
    return LEAVE(edges(graph, from, to, n, false));
}

CuErr rt_cudaGraphRemoveDependencies_12(void *graph, void **from, void **to, size_t n)
{
    ENTER();
    return LEAVE(edges(graph, from, to, n, false));
}

static CuErr get_edges(void *graph, GraphNode **from, GraphNode **to, size_t *count)
{
    const Graph *g = cgraph_of(graph, false);
    size_t       n = 0, room = count && from && to ? *count : 0;
    if (!g || !count || !from != !to)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < g->nnodes; i++)
        for (size_t d = 0; d < g->node[i]->ndeps; d++, n++)
            if (n < room) {
                from[n] = g->node[i]->deps[d];
                to[n]   = g->node[i];
            }
    for (size_t i = n; i < room; i++)
        from[i] = to[i] = NULL;
    *count = from && n > room ? room : n;
    return cudaSuccess;
}

/* Edges carry no data of their own here: ports and types are zero, the ordinary edge. */
static void no_edge_data(void *data, const size_t *n)
{
    if (data && n)
        memset(data, 0, *n * 8);
}

CuErr rt_cudaGraphGetEdges(void *graph, GraphNode **from, GraphNode **to, void *data, size_t *n)
{
    ENTER();
    CuErr e = get_edges(graph, from, to, n);
    if (e == cudaSuccess && from)
        no_edge_data(data, n);
    return LEAVE(e);
}

CuErr rt_cudaGraphGetEdges_12(void *graph, GraphNode **from, GraphNode **to, size_t *n)
{
    ENTER();
    return LEAVE(get_edges(graph, from, to, n));
}

static bool depends(const GraphNode *n, const GraphNode *on)
{
    for (size_t i = 0; i < n->ndeps; i++)
        if (n->deps[i] == on)
            return true;
    return false;
}

static CuErr neighbours(void *node, GraphNode **list, size_t *count, bool dependent)
{
    const GraphNode *n     = node_of(node);
    size_t           found = 0, room = list && count ? *count : 0;
    if (!n || !count)
        return cudaErrorInvalidValue;
    for (size_t i = 0; i < n->graph->nnodes; i++) {
        GraphNode *o = n->graph->node[i];
        if (dependent ? depends(o, n) : depends(n, o)) {
            if (found < room)
                list[found] = o;
            found++;
        }
    }
    for (size_t i = found; i < room; i++)
        list[i] = NULL;
    *count = list && found > room ? room : found;
    return cudaSuccess;
}

CuErr rt_cudaGraphNodeGetDependencies(void *node, GraphNode **list, void *data, size_t *n)
{
    ENTER();
    CuErr e = neighbours(node, list, n, false);
    if (e == cudaSuccess && list)
        no_edge_data(data, n);
    return LEAVE(e);
}

CuErr rt_cudaGraphNodeGetDependentNodes(void *node, GraphNode **list, void *data, size_t *n)
{
    ENTER();
    CuErr e = neighbours(node, list, n, true);
    if (e == cudaSuccess && list)
        no_edge_data(data, n);
    return LEAVE(e);
}

CuErr rt_cudaGraphNodeGetDependencies_12(void *node, GraphNode **list, size_t *n)
{
    ENTER();
    return LEAVE(neighbours(node, list, n, false));
}

CuErr rt_cudaGraphNodeGetDependentNodes_12(void *node, GraphNode **list, size_t *n)
{
    ENTER();
    return LEAVE(neighbours(node, list, n, true));
}

/* ---- a picture ---- */

static const char *kind_name(NodeKind kind)
{
    static const char *const names[] = {"KERNEL",    "MEMCPY",     "MEMSET",       "HOST",       "GRAPH",
                                        "EMPTY",     "EVENT_WAIT", "EVENT_RECORD", "SIGNAL",     "WAIT",
                                        "MEM_ALLOC", "MEM_FREE",   "BATCH_MEM_OP", "CONDITIONAL"};
    return (size_t)kind < sizeof names / sizeof *names ? names[kind] : "?";
}

CuErr rt_cudaGraphDebugDotPrint(void *graph, const char *path, unsigned flags)
{
    (void)flags;
    ENTER();
    const Graph *g = cgraph_of(graph, false);
    FILE        *f = g && path ? file_create(path) : NULL;
    if (!f)
        return LEAVE(g && path ? cudaErrorOperatingSystem : cudaErrorInvalidValue);
    fprintf(f, "digraph dot {\nsubgraph cluster_1 {\nlabel=\"graph_1\" graph[style=\"dashed\"];\n");
    for (size_t i = 0; i < g->nnodes; i++) {
        const GraphNode *n = g->node[i];
        fprintf(f, "\"graph_1_node_%zu\"[style=\"solid\" shape=\"rectangle\" label=\"%zu\n%s%s%s\n\"];\n", i, i,
                kind_name(n->kind), n->kind == NODE_KERNEL ? "\n" : "",
                n->kind == NODE_KERNEL ? kernel_shown(n->kernel) : "");
    }
    for (size_t i = 0; i < g->nnodes; i++)
        for (size_t j = 0; j < g->nnodes; j++)
            if (depends(g->node[j], g->node[i]))
                fprintf(f, "\"graph_1_node_%zu\" -> \"graph_1_node_%zu\";\n", i, j);
    fprintf(f, "}\n}\n");
    return LEAVE(fclose(f) == 0 ? cudaSuccess : cudaErrorOperatingSystem);
}
