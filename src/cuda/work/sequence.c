/* SPDX-License-Identifier: Apache-2.0
 *
 * Vector clocks over queues.  Queue 0 is the host's own; a stream gets one with its first work.  The nodes of a graph
 * that hang on each other in a row share one of the graph's queues, so that a graph has as many as it is wide.  A child
 * graph is a node that ends behind all of its own nodes.
 *
 * Work in the default stream comes behind everything submitted before it to the streams it is ordered with, and they behind it (queue.c).
 * A call that returns when its work is done leaves the host behind that work. */
#include "cuda/work/sequence.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

typedef struct Submitted { /* every WorkOrder of this file */
    WorkOrder order;
    Caller    caller;
} Submitted;

static uint32_t                       queues = 1;
static WorkClock                      host, issued; /* what the host knows; the last count of each queue */
static _Thread_local const WorkOrder *current;      /* a host function lets other threads in */
static _Thread_local WorkOrder       *node;         /* of the graph whose node is submitted */
static _Thread_local GraphOrder      *graph;        /* that graph */

static bool is_on(void)
{
    return state.options.check != NULL;
}

static uint64_t version;

uint64_t sequence_version(void)
{
    return version;
}

/* ---- clocks ---- */

static void reach(WorkClock *c, uint32_t queue, uint32_t count)
{
    if (queue >= c->n) {
        uint32_t n = queue + 8;
        c->count   = xrealloc(c->count, n * sizeof *c->count);
        memset(c->count + c->n, 0, (n - c->n) * sizeof *c->count);
        c->n = n;
    }
    if (c->count[queue] < count)
        c->count[queue] = count;
}

static void join(WorkClock *to, const WorkClock *from)
{
    version++;
    for (uint32_t i = from->n; i--;)
        if (from->count[i])
            reach(to, i, from->count[i]);
}

static uint32_t next_count(uint32_t queue)
{
    reach(&issued, queue, 1 + (queue < issued.n ? issued.count[queue] : 0));
    return issued.count[queue];
}

/* ---- work ---- */

static uint32_t *copied(const WorkClock *c, uint32_t n)
{
    uint32_t *list = xcalloc(n + 1u, sizeof *list);
    if (c->n)
        memcpy(list, c->count, (c->n < n ? c->n : n) * sizeof *list);
    return list;
}

static WorkOrder *work_new(uint32_t queue, uint32_t count, const WorkClock *before)
{
    Submitted *s = xcalloc(1, sizeof *s);
    WorkOrder *o = &s->order;
    uint32_t   n = before->n > host.n ? before->n : host.n;
    *o = (WorkOrder){.queue = queue, .count = count, .n = n, .before = copied(before, n), .settled = copied(&host, n)};
    s->caller = caller_now();
    return o;
}

void sequence_free(WorkOrder *o)
{
    if (!o)
        return;
    free(o->before);
    free(o->settled);
    free((Submitted *)o);
}

/* Do the default stream's rules order them? */
static bool in_default_order(const Stream *a, const Stream *b)
{
    return a != b && (a->legacy || b->legacy) && !(a->flags & 1) && !(b->flags & 1) && a->device == b->device;
}

/* The stream as new work, or an event, finds it. */
static void bring_up(Stream *s)
{
    join(&s->know, &host);
    for (size_t i = 0; i < stream_count(); i++)
        if (in_default_order(s, stream_at(i)))
            join(&s->know, &stream_at(i)->know);
}

WorkOrder *sequence_submit(Stream *s)
{
    if (!is_on())
        return NULL;
    if (node) {
        WorkClock before = {node->before, node->n};
        return work_new(node->queue, node->count, &before);
    }
    bring_up(s);
    if (!s->order_queue)
        s->order_queue = queues++;
    WorkOrder *o = work_new(s->order_queue, next_count(s->order_queue), &s->know);
    reach(&s->know, o->queue, o->count);
    return o;
}

WorkOrder *sequence_submit_kernel(Stream *s, bool programmatic)
{
    WorkOrder *o = sequence_submit(s);
    if (!o || node) {
        if (o)
            o->programmatic = node->programmatic;
        return o;
    }
    o->programmatic = programmatic && s->kernel_count && s->kernel_count + 1 == o->count;
    s->kernel_count = o->count;
    return o;
}

const WorkOrder *sequence_enter(const WorkOrder *o)
{
    const WorkOrder *was = current;
    current              = o;
    version++;
    return was;
}

const WorkOrder *sequence_entered(void)
{
    return current;
}

/* The work that what happens to memory belongs to, or the host's own. */
static const WorkOrder *sequence_current(void)
{
    static WorkOrder *own;
    if (current || !is_on())
        return current;
    sequence_host_stream(stream_of(NULL));
    sequence_free(own);
    own = work_new(0, next_count(0), &host);
    reach(&host, 0, own->count);
    return own;
}

STATE_PART(work_current, sequence_current)
STATE_PART(host_order, sequence_host_order)

static const Caller *sequence_caller(void)
{
    return current ? &((const Submitted *)current)->caller : NULL;
}

STATE_PART(work_caller, sequence_caller)

const WorkOrder *sequence_host_order(void)
{
    static WorkOrder o;
    bool             all = true;
    for (uint32_t i = 1; i < issued.n; i++)
        all &= issued.count[i] <= (i < host.n ? host.count[i] : 0);
    if (!is_on() || all)
        return NULL;
    o = (WorkOrder){.count = issued.n ? issued.count[0] : 0, .n = host.n, .before = host.count, .settled = host.count};
    return &o;
}

/* ---- what orders ---- */

void sequence_record(Event *e, Stream *s)
{
    if (!is_on())
        return;
    bring_up(s);
    e->know.n = 0;
    free(e->know.count);
    e->know.count = NULL;
    join(&e->know, &s->know);
}

void sequence_wait_event(Stream *s, const Event *e)
{
    if (is_on())
        join(&s->know, &e->know);
}

void sequence_wait_all(Stream *s)
{
    if (is_on())
        join(&s->know, &issued);
}

void sequence_host_stream(Stream *s)
{
    if (!is_on() || !s)
        return;
    bring_up(s);
    join(&host, &s->know);
}

void sequence_host_event(const Event *e)
{
    if (is_on())
        join(&host, &e->know);
}

void sequence_host_all(void)
{
    if (is_on())
        join(&host, &issued);
}

void sequence_host_work(const WorkOrder *o)
{
    if (o)
        join(&host, &(WorkClock){o->before, o->n});
}

/* ---- graphs ---- */

struct GraphOrder {
    Stream           *stream;
    GraphOrder       *outer; /* whose child it is, and as which node; NULL */
    WorkOrder        *child;
    GraphNode *const *order;
    size_t            n;
    WorkOrder       **work;  /* by node in order */
    bool             *taken; /* another node goes on in its queue */
    size_t            nqueues;
};

/* Graphs in one stream come one behind the other, so they share the stream's queues for branches. */
static uint32_t queue_for(GraphOrder *g)
{
    Stream *s = g->stream;
    if (g->nqueues == s->nbranches) {
        s->branch                 = xrealloc(s->branch, (s->nbranches + 1) * sizeof *s->branch);
        s->branch[s->nbranches++] = queues++;
    }
    return s->branch[g->nqueues++];
}

GraphOrder *sequence_graph_begin(Stream *s, GraphNode *const *order, size_t n)
{
    if (!is_on())
        return NULL;
    GraphOrder *g = xcalloc(1, sizeof *g);
    *g            = (GraphOrder){.stream  = graph ? graph->stream : s,
                                 .outer   = graph,
                                 .child   = node,
                                 .order   = order,
                                 .n       = n,
                                 .work    = xcalloc(n + 1, sizeof *g->work),
                                 .taken   = xcalloc(n + 1, sizeof *g->taken),
                                 .nqueues = graph ? graph->nqueues : 0};
    if (!graph)
        bring_up(s);
    graph = g;
    return g;
}

void sequence_graph_node(GraphOrder *g, size_t i)
{
    uint32_t  queue        = 0;
    WorkClock before       = {0};
    bool      programmatic = false;
    if (!g)
        return;
    if (g->child)
        join(&before, &(WorkClock){g->child->before, g->child->n});
    else
        join(&before, &g->stream->know);
    for (size_t d = 0; d < g->order[i]->ndeps; d++)
        for (size_t k = 0; k < i; k++)
            if (g->order[k] == g->order[i]->deps[d] && g->work[k]) {
                join(&before, &(WorkClock){g->work[k]->before, g->work[k]->n});
                reach(&before, g->work[k]->queue, g->work[k]->count);
                if (!queue && !g->taken[k]) {
                    queue        = g->work[k]->queue;
                    g->taken[k]  = true;
                    programmatic = g->order[k]->kind == NODE_KERNEL && g->order[i]->kind == NODE_KERNEL &&
                                   g->order[i]->ask.programmatic;
                }
            }
    queue      = queue ? queue : queue_for(g);
    g->work[i] = work_new(queue, next_count(queue), &before);
    free(before.count);
    g->work[i]->programmatic = programmatic;
    node                     = g->work[i];
}

void sequence_graph_end(GraphOrder *g)
{
    if (!g)
        return;
    WorkClock done = {0};
    for (size_t i = 0; i < g->n; i++)
        if (g->work[i]) {
            reach(&done, g->work[i]->queue, g->work[i]->count);
            sequence_free(g->work[i]);
        }
    if (g->child) { /* what comes behind the child comes behind this */
        WorkOrder *was = g->child;
        join(&done, &(WorkClock){was->before, was->n});
        WorkOrder *now = work_new(was->queue, was->count, &done);
        free(was->before);
        free(was->settled);
        *was = *now;
        free(now);
        g->outer->nqueues = g->nqueues; /* a queue is in order, and the child's neighbours are not in order with it */
    } else {
        join(&g->stream->know, &done);
    }
    free(done.count);
    node  = g->child;
    graph = g->outer;
    free(g->work);
    free(g->taken);
    free(g);
}
