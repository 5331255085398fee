/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph's launch in a stream.  Branches run as work in several streams does: a node goes on in the lane of a node it depends on, if it is
 * the first to do so, else in a lane of its own; the first lane is the stream itself, the others are spare streams.  What a node needs of
 * other lanes, and what the stream needs before its next work, are tickets of their queues, so nothing is queued as long as nothing waits.
 * Bodies of conditional nodes run node by node. */
#include <stdlib.h>

#include "base/arena.h"
#include "cuda/work/queue.h"
#include "cuda/work/sequence.h"
#include "cuda/work/work.h"

typedef struct Lane {
    Stream          *stream;
    const GraphNode *last;
} Lane;

typedef struct Handed { /* a node that was handed to a lane */
    const GraphNode *node;
    size_t           lane;
    uint64_t         ticket; /* the lane's count behind it */
} Handed;

typedef struct GraphLaunch {
    Lane    *lane;
    size_t   nlanes;
    Handed  *placed;
    size_t   nplaced;
    uint64_t start; /* the stream's count when the graph came */
} GraphLaunch;

static void wait_for(Stream *s, Stream *other, uint64_t count)
{
    const Event until = {.in = other, .ticket = count};
    if (s != other && queue_pending(&until))
        queue_add(s, NODE_EMPTY, &until);
}

static const Handed *place_of(const GraphLaunch *l, const GraphNode *n)
{
    for (size_t i = 0; i < l->nplaced; i++)
        if (l->placed[i].node == n)
            return &l->placed[i];
    return NULL;
}

/* The lane for a node, with all that it waits for. */
static size_t choose(GraphLaunch *l, const GraphNode *n)
{
    size_t lane = l->nplaced ? l->nlanes : 0;
    for (size_t d = 0; d < n->ndeps && lane == l->nlanes; d++) {
        size_t at = place_of(l, n->deps[d])->lane;
        if (l->lane[at].last == n->deps[d])
            lane = at;
    }
    if (lane == l->nlanes) {
        Stream *first        = l->lane[0].stream;
        l->lane              = xrealloc(l->lane, (l->nlanes + 1) * sizeof *l->lane);
        Stream *s            = queue_any() ? stream_spare(first->device) : first; /* nothing waits: order is enough */
        l->lane[l->nlanes++] = (Lane){.stream = s};
        wait_for(s, first, l->start);
    }
    for (size_t d = 0; d < n->ndeps; d++) {
        const Handed *p = place_of(l, n->deps[d]);
        wait_for(l->lane[lane].stream, l->lane[p->lane].stream, p->ticket);
    }
    return lane;
}

/* A launch of an executable graph comes behind the one before it, in whichever stream that was. */
static void behind_last(Stream *s, const Graph *g)
{
    if (!g->end)
        return;
    sequence_wait_event(s, g->end);
    wait_for(s, g->end->in, g->end->ticket);
}

static void mark_end(Stream *s, Graph *g)
{
    if (!g->end)
        g->end = xcalloc(1, sizeof *g->end);
    sequence_record(g->end, s);
    g->end->in     = s->queued ? s : NULL; /* which stays then, even if it is destroyed */
    g->end->ticket = s->queued;
}

CuErr graph_launch(Stream *s, Graph *g)
{
    GraphNode **order = cgraph_order(g);
    CuErr       e     = order ? cudaSuccess : cudaErrorInvalidValue;
    GraphLaunch l     = {.nlanes = 1};
    if (e == cudaSuccess && g->exec)
        cgraph_begin(g);
    if (g->exec)
        behind_last(s, g);
    if (queue_busy(s))
        queue_add(s, NODE_EMPTY, NULL); /* what comes before the graph, of other streams too */
    l.start           = s->queued;
    l.lane            = xcalloc(1, sizeof *l.lane);
    l.placed          = xcalloc(g->nnodes + 1, sizeof *l.placed);
    l.lane[0]         = (Lane){.stream = s};
    GraphOrder *works = e == cudaSuccess ? sequence_graph_begin(s, order, g->nnodes) : NULL;
    for (size_t i = 0; e == cudaSuccess && i < g->nnodes && state.later == cudaSuccess; i++) {
        GraphNode *n = order[i];
        sequence_graph_node(works, i);
        size_t  at = choose(&l, n);
        Stream *in = l.lane[at].stream;
        if (!n->off)
            e = work_do(in, n);
        l.lane[at].last       = n;
        l.placed[l.nplaced++] = (Handed){n, at, in->queued};
    }
    sequence_graph_end(works);
    for (size_t i = 1; i < l.nlanes; i++)
        wait_for(s, l.lane[i].stream, l.lane[i].stream->queued);
    if (g->exec)
        mark_end(s, g);
    free(l.lane);
    free(l.placed);
    free(order);
    return e;
}
