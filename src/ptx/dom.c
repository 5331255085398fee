/* SPDX-License-Identifier: Apache-2.0
 *
 * Dominators by the semi-NCA method (Georgiadis): a depth-first numbering, semidominators with path compression, then each
 * node's immediate dominator as the nearest common ancestor of its parent and its semidominator.  Everything iterative: a
 * generated function may have a hundred thousand blocks in a row. */
#include "ptx/dom.h"

Graph graph_new(Arena *a, uint32_t n, const Edge *edge, size_t nedges)
{
    Graph     g    = {.n = n, .first = ARENA_ARRAY(a, uint32_t, (size_t)n + 1), .to = ARENA_ARRAY(a, uint32_t, nedges)};
    uint32_t *fill = ARENA_ARRAY(a, uint32_t, n);
    for (size_t i = 0; i < nedges; i++)
        g.first[edge[i].from + 1]++;
    for (uint32_t v = 0; v < n; v++) {
        g.first[v + 1] += g.first[v];
        fill[v] = g.first[v];
    }
    for (size_t i = 0; i < nedges; i++)
        g.to[fill[edge[i].from]++] = edge[i].to;
    return g;
}

Graph graph_reverse(Arena *a, const Graph *g)
{
    size_t n    = g->first[g->n];
    Edge  *edge = ARENA_ARRAY(a, Edge, n);
    for (uint32_t v = 0; v < g->n; v++)
        for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
            edge[i] = (Edge){g->to[i], v};
    return graph_new(a, g->n, edge, n);
}

typedef struct Dom { /* all by preorder number but num */
    uint32_t *num;   /* by node: preorder number + 1, 0 = not reached */
    uint32_t *node, *parent, *anc, *semi, *label, *stack;
    uint32_t  n;
} Dom;

static void number_nodes(Dom *d, Arena *a, const Graph *g, uint32_t root)
{
    uint32_t *next = ARENA_ARRAY(a, uint32_t, g->n), top = 0;
    d->num[root]    = 1;
    d->node[d->n++] = root;
    d->stack[top++] = root;
    next[root]      = g->first[root];
    while (top) {
        uint32_t v = d->stack[top - 1];
        if (next[v] == g->first[v + 1]) {
            top--;
            continue;
        }
        uint32_t w = g->to[next[v]++];
        if (d->num[w])
            continue;
        d->parent[d->n] = d->num[v] - 1;
        d->node[d->n]   = w;
        d->num[w]       = ++d->n;
        next[w]         = g->first[w];
        d->stack[top++] = w;
    }
}

/* The node of least semidominator on the path above v, among those numbered `last` and up. */
static uint32_t eval(Dom *d, uint32_t v, uint32_t last)
{
    uint32_t top = 0;
    if (d->anc[v] < last)
        return d->label[v];
    do {
        d->stack[top++] = v;
        v               = d->anc[v];
    } while (d->anc[v] >= last);
    uint32_t above = v, best = d->label[v];
    while (top) {
        v         = d->stack[--top];
        d->anc[v] = d->anc[above];
        if (d->semi[best] < d->semi[d->label[v]])
            d->label[v] = best;
        else
            best = d->label[v];
        above = v;
    }
    return d->label[v];
}

static void find_semi(Dom *d, const Graph *pred)
{
    for (uint32_t i = 0; i < d->n; i++) {
        d->anc[i]   = d->parent[i];
        d->semi[i]  = i;
        d->label[i] = i;
    }
    for (uint32_t i = d->n; i-- > 1;) {
        uint32_t v = d->node[i], least = d->parent[i];
        for (uint32_t k = pred->first[v]; k < pred->first[v + 1]; k++) {
            uint32_t u = d->num[pred->to[k]];
            if (!u)
                continue;
            uint32_t s = d->semi[eval(d, u - 1, i + 1)];
            if (s < least)
                least = s;
        }
        d->semi[i] = least;
    }
}

uint32_t *dom_tree(Arena *a, const Graph *g, uint32_t root)
{
    Graph     pred = graph_reverse(a, g);
    uint32_t *idom = ARENA_ARRAY(a, uint32_t, g->n);
    uint32_t *lists[7];
    for (int i = 0; i < 7; i++)
        lists[i] = ARENA_ARRAY(a, uint32_t, g->n);
    Dom d = {lists[0], lists[1], lists[2], lists[3], lists[4], lists[5], lists[6], 0};
    number_nodes(&d, a, g, root);
    find_semi(&d, &pred);
    for (uint32_t v = 0; v < g->n; v++)
        idom[v] = CFG_NONE;
    uint32_t *up = d.label; /* idom by preorder number; labels are not needed any more */
    for (uint32_t i = 1; i < d.n; i++) {
        up[i] = d.parent[i];
        while (up[i] > d.semi[i])
            up[i] = up[up[i]];
        idom[d.node[i]] = d.node[up[i]];
    }
    return idom;
}
