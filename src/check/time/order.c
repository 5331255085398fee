/* SPDX-License-Identifier: Apache-2.0
 *
 * List scheduling: a clock goes on, and of the nodes whose sources are there the one goes first from which the longest way leads to the block's
 * end.  Where none is ready the clock jumps.  Loads come early by this, since the way behind them is long.
 *
 * Afterwards stalls are set by what has a fixed latency alone: who needs what a barrier tells waits for that, however long it takes.
 *
 * Left out: registers, of which an order with many loads under way needs more. */
#include "check/time/order.h"

enum { MOST_STALL = 255 };

typedef struct Order {
    Arena           *arena;
    const OrderNode *node;
    const OrderEdge *edge;
    uint32_t         nodes;
    uint32_t        *behind, *first; /* the nodes that need node i: behind[first[i]] to before behind[first[i + 1]] */
    uint32_t        *left;           /* by node: how many of those that it needs are still to come */
    double          *height, *ready; /* clocks to the end; from which its sources are there */
    uint32_t        *heap, n;        /* of nodes that nothing keeps but `ready` */
} Order;

static double weight(const Order *o, const OrderEdge *e)
{
    return e->value ? o->node[e->node].latency : 1;
}

static void link_up(Order *o)
{
    for (uint32_t i = 0; i < o->nodes; i++)
        for (uint32_t k = 0; k < o->node[i].needs; k++)
            o->first[o->edge[o->node[i].first + k].node + 1]++;
    for (uint32_t i = 0; i < o->nodes; i++)
        o->first[i + 1] += o->first[i];
    uint32_t *at = ARENA_ARRAY(o->arena, uint32_t, o->nodes + 1);
    for (uint32_t i = 0; i < o->nodes; i++)
        at[i] = o->first[i];
    for (uint32_t i = 0; i < o->nodes; i++)
        for (uint32_t k = 0; k < o->node[i].needs; k++)
            o->behind[at[o->edge[o->node[i].first + k].node]++] = i;
}

static void measure(Order *o)
{
    for (uint32_t i = o->nodes; i--;) {
        o->left[i] = o->node[i].needs;
        for (uint32_t k = 0; k < o->node[i].needs; k++) {
            const OrderEdge *e   = &o->edge[o->node[i].first + k];
            double           way = o->height[i] + weight(o, e);
            if (way > o->height[e->node])
                o->height[e->node] = way;
        }
    }
}

/* Goes x before y?  The highest first; of equal ones in the order of the text. */
static bool before(const Order *o, uint32_t x, uint32_t y)
{
    return o->height[x] > o->height[y] || (o->height[x] == o->height[y] && x < y);
}

static void swap(Order *o, uint32_t i, uint32_t k)
{
    uint32_t t = o->heap[i];
    o->heap[i] = o->heap[k];
    o->heap[k] = t;
}

static void push(Order *o, uint32_t node)
{
    uint32_t i      = o->n;
    o->heap[o->n++] = node;
    for (; i && before(o, o->heap[i], o->heap[(i - 1) / 2]); i = (i - 1) / 2)
        swap(o, i, (i - 1) / 2);
}

static uint32_t pop(Order *o)
{
    uint32_t top = o->heap[0], i = 0;
    o->heap[0] = o->heap[--o->n];
    for (;;) {
        uint32_t least = i;
        for (uint32_t k = 2 * i + 1; k <= 2 * i + 2 && k < o->n; k++)
            if (before(o, o->heap[k], o->heap[least]))
                least = k;
        if (least == i)
            return top;
        swap(o, i, least);
        i = least;
    }
}

/* Nodes whose sources are under way, by when they come: a list in order, from the end on. */
typedef struct Later {
    uint32_t *node, n;
} Later;

static void later_add(const Order *o, Later *l, uint32_t node)
{
    uint32_t i = l->n++;
    for (; i && o->ready[l->node[i - 1]] < o->ready[node]; i--)
        l->node[i] = l->node[i - 1];
    l->node[i] = node;
}

/* A node goes at that clock: those behind it. */
static void release(Order *o, uint32_t node, double clock, Later *later)
{
    for (uint32_t k = o->first[node]; k < o->first[node + 1]; k++) {
        uint32_t i = o->behind[k];
        for (uint32_t j = 0; j < o->node[i].needs; j++) {
            const OrderEdge *e = &o->edge[o->node[i].first + j];
            if (e->node == node && clock + weight(o, e) > o->ready[i])
                o->ready[i] = clock + weight(o, e);
        }
        if (!--o->left[i] && !o->node[i].last)
            later_add(o, later, i);
    }
}

static void choose(Order *o, uint32_t *out)
{
    Later    later = {ARENA_ARRAY(o->arena, uint32_t, o->nodes + 1), 0};
    double   clock = 0;
    uint32_t n     = 0;
    for (uint32_t i = 0; i < o->nodes; i++)
        if (!o->left[i] && !o->node[i].last)
            push(o, i);
    uint32_t others = o->nodes - (o->nodes && o->node[o->nodes - 1].last);
    while (n < others) {
        while (later.n && o->ready[later.node[later.n - 1]] <= clock)
            push(o, later.node[--later.n]);
        if (!o->n) {
            clock = o->ready[later.node[later.n - 1]];
            continue;
        }
        uint32_t node = pop(o);
        release(o, node, clock, &later);
        out[n++] = node;
        clock += 1;
    }
    if (n < o->nodes)
        out[n] = n;
}

/* The barriers that a node waits for: of its sources those whose results they tell. */
static uint8_t waits(const Order *o, const OrderNode *x)
{
    uint8_t bits = x->outside;
    for (uint32_t k = 0; k < x->needs; k++) {
        const OrderEdge *e = &o->edge[x->first + k];
        if (e->value && o->node[e->node].tells)
            bits |= (uint8_t)(1u << o->node[e->node].barrier);
    }
    return bits;
}

/* The clock at which a node can go that is behind another one of the order, by fixed latencies. */
static double earliest(const Order *o, const OrderNode *x, const double *went, double clock)
{
    for (uint32_t k = 0; k < x->needs; k++) {
        const OrderEdge *e = &o->edge[x->first + k];
        if (e->value && !o->node[e->node].tells && went[e->node] + o->node[e->node].latency > clock)
            clock = went[e->node] + o->node[e->node].latency;
    }
    return clock;
}

void order_block(Arena *a, const OrderNode *node, uint32_t nodes, const OrderEdge *edge, SassWord *word, uint32_t *line,
                 size_t *words)
{
    uint32_t  edges = nodes ? node[nodes - 1].first + node[nodes - 1].needs : 0;
    Order     o     = {.arena  = a,
                       .node   = node,
                       .edge   = edge,
                       .nodes  = nodes,
                       .behind = ARENA_ARRAY(a, uint32_t, edges + 1),
                       .first  = ARENA_ARRAY(a, uint32_t, nodes + 2),
                       .left   = ARENA_ARRAY(a, uint32_t, nodes + 1),
                       .height = ARENA_ARRAY(a, double, nodes + 1),
                       .ready  = ARENA_ARRAY(a, double, nodes + 1),
                       .heap   = ARENA_ARRAY(a, uint32_t, nodes + 1)};
    uint32_t *order = ARENA_ARRAY(a, uint32_t, nodes + 1);
    double   *went = ARENA_ARRAY(a, double, nodes + 1), clock = 0;
    link_up(&o);
    measure(&o);
    choose(&o, order);
    for (uint32_t i = 0; i < nodes; i++) {
        const OrderNode *x  = &node[order[i]];
        double           at = earliest(&o, x, went, clock), stall = at - clock;
        if (i && stall > 0) {
            SassWord *last = &word[*words - 1];
            stall += last->stall;
            last->stall = stall < MOST_STALL ? (uint8_t)stall : MOST_STALL;
        }
        went[order[i]] = at;
        clock          = at + (x->after ? x->after : 1);
        word[*words]   = x->word;
        word[*words].waits |= waits(&o, x);
        word[*words].stall = x->after ? x->after : 1;
        if (x->tells)
            word[*words].writes = x->barrier;
        line[(*words)++] = x->line;
    }
}
