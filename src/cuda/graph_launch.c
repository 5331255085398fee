/* SPDX-License-Identifier: Apache-2.0
 *
 * A graph's launch in a stream.  Branches run as work in several streams does: a node goes on in the lane of a node it depends on, if it is
 * the first to do so, else in a lane of its own; the first lane is the stream itself, the others are spare streams.  What a node needs of
 * other lanes, and what the stream needs before its next work, are tickets of their queues, so nothing is queued as long as nothing waits.
 * Bodies of conditional nodes run node by node. */
#include <stdlib.h>

#include "base/arena.h"
#include "cuda/queue.h"
#include "cuda/sequence.h"

typedef struct Lane {
    Stream          *stream;
    void            *handle; /* by which it is asked for: the default streams have names of their own */
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
        l->lane[l->nlanes++] = (Lane){.stream = s, .handle = s == first ? l->lane[0].handle : s};
        wait_for(s, first, l->start);
    }
    for (size_t d = 0; d < n->ndeps; d++) {
        const Handed *p = place_of(l, n->deps[d]);
        wait_for(l->lane[lane].stream, l->lane[p->lane].stream, p->ticket);
    }
    return lane;
}

static CuErr submit(const Lane *l, GraphNode *n)
{
    void *s = l->handle;
    switch (n->kind) {
    case NODE_KERNEL: return stream_launch(s, n->kernel, &n->ask);
    case NODE_CHILD: return stream_graph(s, n->child);
    case NODE_HOST: return stream_host(s, n->host.fn, n->host.user);
    case NODE_EVENT_RECORD: return event_record(n->event, s);
    case NODE_EVENT_WAIT: return stream_wait(s, n->event);
    default: break;
    }
    if (!queue_busy(l->stream)) {
        WorkOrder       *o   = sequence_submit(l->stream);
        const WorkOrder *was = sequence_enter(o);
        CuErr            e   = cgraph_run_node(n);
        sequence_enter(was);
        sequence_free(o);
        return e;
    }
    cgraph_copy_payload(queue_add(l->stream, n->kind, NULL), n);
    return cudaSuccess;
}

CuErr stream_graph(void *stream, const Graph *g)
{
    GraphNode **order = cgraph_order(g);
    CuErr       e     = order ? cudaSuccess : cudaErrorInvalidValue;
    Stream     *s     = stream_of(stream);
    GraphLaunch l     = {.nlanes = 1};
    if (e == cudaSuccess && g->exec)
        cgraph_begin(g);
    if (queue_busy(s))
        queue_add(s, NODE_EMPTY, NULL); /* what comes before the graph, of other streams too */
    l.start           = s->queued;
    l.lane            = xcalloc(1, sizeof *l.lane);
    l.placed          = xcalloc(g->nnodes + 1, sizeof *l.placed);
    l.lane[0]         = (Lane){.stream = s, .handle = stream};
    GraphOrder *works = e == cudaSuccess ? sequence_graph_begin(s, order, g->nnodes) : NULL;
    for (size_t i = 0; e == cudaSuccess && i < g->nnodes && state.later == cudaSuccess; i++) {
        GraphNode *n = order[i];
        sequence_graph_node(works, i);
        size_t  at = choose(&l, n);
        Stream *in = l.lane[at].stream;
        if (!n->off)
            e = submit(&l.lane[at], n);
        l.lane[at].last       = n;
        l.placed[l.nplaced++] = (Handed){n, at, in->queued};
    }
    sequence_graph_end(works);
    for (size_t i = 1; i < l.nlanes; i++)
        wait_for(s, l.lane[i].stream, l.lane[i].stream->queued);
    free(l.lane);
    free(l.placed);
    free(order);
    return e;
}
