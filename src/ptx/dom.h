/* SPDX-License-Identifier: Apache-2.0
 *
 * Directed graphs with numbered nodes, and the dominator tree of one. */
#ifndef WW_PTX_DOM_H
#define WW_PTX_DOM_H

#include "ptx/cfg.h"

/* Edges by source: those of node v are to[first[v]] ... to[first[v + 1] - 1]. */
typedef struct Graph {
    uint32_t  n;
    uint32_t *first, *to;
} Graph;

typedef struct Edge {
    uint32_t from, to;
} Edge;

/* Keeps the order in which edges with one source are listed. */
Graph graph_new(Arena *a, uint32_t n, const Edge *edge, size_t nedges);
Graph graph_reverse(Arena *a, const Graph *g);
/* idom[v] for every node; CFG_NONE for the root and for nodes that it does not reach. */
uint32_t *dom_tree(Arena *a, const Graph *g, uint32_t root);

#endif
