/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of the machine instructions of one basic block, and what they wait for. */
#ifndef WW_CHECK_TIME_ORDER_H
#define WW_CHECK_TIME_ORDER_H

#include "base/arena.h"
#include "sass/word.h"

enum { ORDER_NONE = UINT32_MAX };

typedef struct OrderNode {
    SassWord word;
    uint32_t line;
    uint32_t first, needs; /* of the list of edges: the nodes that come before it */
    double   latency;      /* clocks until its result is there */
    bool     tells;        /* by a barrier; else a stall keeps others apart */
    bool     last;         /* it comes behind all others, whatever they have under way */
    uint8_t  outside;      /* bit by barrier: of results from other blocks */
    uint8_t  barrier;      /* its own, where it tells */
    uint8_t  after;        /* clocks to the next one, at least; 0: 1 */
} OrderNode;

typedef struct OrderEdge {
    uint32_t node;  /* an earlier one */
    bool     value; /* its result is wanted; else the order alone matters */
} OrderEdge;

/* Appends the nodes' words to word[] and line[] from *words on: each as soon as what it needs is there, of several the one that most depends on. */
void order_block(Arena *a, const OrderNode *node, uint32_t nodes, const OrderEdge *edge, SassWord *word, uint32_t *line,
                 size_t *words);

#endif
