/* SPDX-License-Identifier: Apache-2.0
 *
 * The one path from a piece of work to capture, run or queue.  Work is done in the call when nothing stands before it, else it goes to the
 * stream's queue (queue.h).  The table at the end of this file says how each kind does that; what a capture makes of it is in capture.c,
 * what the work itself is, in perform.c. */
#include "cuda/work/work.h"
#include "cuda/process/ranges.h"

#include <string.h>

#include "base/arena.h"
#include "cuda/work/capture.h"
#include "cuda/work/perform.h"
#include "cuda/work/queue.h"
#include "cuda/work/sequence.h"

CuErr stream_settle(void *handle)
{
    Stream *s = stream_of(handle);
    CuErr   e = s ? capture_check(s) : stream_error(handle);
    if (e != cudaSuccess)
        return e;
    queue_settle(s);
    return state_sticky();
}

CuErr stream_settle_device(void)
{
    CuErr e = capture_unsafe();
    if (e != cudaSuccess)
        return e;
    queue_settle_device(state_current());
    return state_sticky();
}

/* ---- run or queue ---- */

static CuErr run(Stream *s, GraphNode *n)
{
    WorkOrder       *o   = sequence_submit(s);
    const WorkOrder *was = sequence_enter(o);
    CuErr            e   = node_run(n);
    queue_stirred();
    sequence_enter(was);
    sequence_free(o);
    return e;
}

static CuErr enqueue(Stream *s, const GraphNode *n)
{
    GraphNode *q = queue_add(s, n->kind, NULL);
    q->ticket    = s->queued;
    return cgraph_copy_payload(q, n);
}

static CuErr do_plain(Stream *s, GraphNode *n)
{
    return queue_busy(s) ? enqueue(s, n) : run(s, n);
}

/* ---- kernels ---- */

/* Runs a kernel as far as it comes; what is left goes to the queue. */
static CuErr begin_kernel(Stream *s, Kernel *k, const LaunchAsk *ask, bool early)
{
    Running         *r;
    WorkOrder       *o   = sequence_submit_kernel(s, ask->programmatic);
    const WorkOrder *was = sequence_enter(o);
    CuErr            e   = early ? launch_start_early(k, ask, &r) : launch_start(k, ask, &r);
    sequence_enter(was);
    queue_stirred();
    queue_let_go();
    if (!r) {
        sequence_free(o);
        return e;
    }
    GraphNode *n = queue_add_running(s, k, r, o);
    if (early && launch_leaves_early(k))
        queue_hold(n);
    return e;
}

static CuErr do_kernel(Stream *s, GraphNode *n)
{
    Kernel          *k     = n->kernel;
    const LaunchAsk *ask   = &n->ask;
    bool             holds = launch_leaves_early(k);
    if (ask->programmatic && queue_held(s))
        return begin_kernel(s, k, ask, true);
    if (!queue_busy(s) && !holds)
        return begin_kernel(s, k, ask, false);
    CuErr e = launch_check(k, ask);
    if (e != cudaSuccess)
        return e;
    LaunchAsk later = *ask;
    later.ranges    = ranges_now();
    GraphNode *q    = queue_add_work(s, NODE_KERNEL, NULL, sequence_submit_kernel(s, ask->programmatic));
    e               = node_set_kernel(q, k, &later);
    if (holds)
        queue_hold(q);
    return e;
}

/* ---- copies ---- */

/* Memory that the program may change or read right after the call. */
static bool pageable(const void *p)
{
    return !devmem_range((uint64_t)(uintptr_t)p) && !devmem_is_device(p);
}

/* A copy that waits takes the bytes of pageable memory now. */
static void own_source(NodeCopy *c)
{
    char  *owned = xmalloc(c->width * c->height * c->depth + 1);
    size_t row   = 0;
    for (size_t z = 0; z < c->depth; z++)
        for (size_t y = 0; y < c->height; y++, row++)
            memcpy(owned + row * c->width, (const char *)c->src + z * c->sslice + y * c->spitch, c->width);
    c->src = c->owned = owned;
    c->spitch         = c->width;
    c->sslice         = c->width * c->height;
    c->kind           = c->kind == COPY_DEFAULT ? COPY_HOST_TO_DEVICE : c->kind;
}

static CuErr do_copy(Stream *s, GraphNode *n)
{
    NodeCopy *c = &n->copy;
    if (n->graph)
        return do_plain(s, n);
    if (!c->width || !c->height || !c->depth)
        return cudaSuccess;
    if (queue_busy(s) && pageable(c->dst))
        queue_settle(s); /* such a copy returns when it is done */
    if (!queue_busy(s)) {
        CuErr e = run(s, n);
        if (pageable(c->dst))
            sequence_host_stream(s);
        return e;
    }
    CuErr e = devmem_check_node(c);
    if (e != cudaSuccess)
        return e;
    if (pageable(c->src))
        own_source(c);
    return enqueue(s, n);
}

/* ---- what else has a way of its own ---- */

/* Functions of the host may wait for what the program does after the call. */
static CuErr do_host(Stream *s, GraphNode *n)
{
    return enqueue(s, n);
}

/* The program has the address already. */
static CuErr do_alloc(Stream *s, GraphNode *n)
{
    return n->memory.of_stream ? run(s, n) : do_plain(s, n);
}

static CuErr do_record(Stream *s, GraphNode *n)
{
    Event *v = n->event;
    capture_mark(s, v);
    v->in = NULL;
    sequence_record(v, s);
    if (!queue_busy(s)) {
        event_reached(v, 0);
        return cudaSuccess;
    }
    CuErr e     = enqueue(s, n);
    v->in       = s;
    v->ticket   = s->queued;
    v->recorded = true;
    if (v->word.at)
        *v->word.at = 1;
    return e;
}

static CuErr do_wait(Stream *s, GraphNode *n)
{
    const Event *v = n->event;
    if (v->capture)
        return capture_join(s, v);
    sequence_wait_event(s, v);
    if (queue_pending(v) || event_awaits_other(v))
        queue_add(s, NODE_EMPTY, v);
    return cudaSuccess;
}

static CuErr do_wait_value(Stream *s, GraphNode *n)
{
    sequence_wait_all(s);
    return !queue_busy(s) && node_value_reached(n) ? cudaSuccess : enqueue(s, n);
}

static CuErr do_write_value(Stream *s, GraphNode *n)
{
    if (queue_busy(s))
        return enqueue(s, n);
    CuErr e = node_run(n); /* it orders nothing but what waits for it */
    queue_stirred();
    return e;
}

static CuErr do_child(Stream *s, GraphNode *n)
{
    return graph_launch(s, n->child);
}

/* ---- captures ---- */

static CuErr capture_record(Stream *s, const GraphNode *n)
{
    capture_mark(s, n->event);
    return cudaSuccess;
}

static CuErr capture_wait(Stream *s, const GraphNode *n)
{
    return capture_join(s, n->event);
}

static CuErr capture_none(Stream *s, const GraphNode *n)
{
    (void)s, (void)n;
    return cudaErrorStreamCaptureUnsupported;
}

/* ---- the path ---- */

/* How a kind runs or waits, and what it is in a capture (NULL: a node like any other). */
static const struct Way {
    CuErr (*go)(Stream *s, GraphNode *n);
    CuErr (*capture)(Stream *s, const GraphNode *n);
} ways[] = {
    [NODE_KERNEL]       = {do_kernel, NULL},
    [NODE_COPY]         = {do_copy, NULL},
    [NODE_SET]          = {do_plain, NULL},
    [NODE_HOST]         = {do_host, NULL},
    [NODE_CHILD]        = {do_child, NULL},
    [NODE_EMPTY]        = {do_plain, NULL},
    [NODE_EVENT_WAIT]   = {do_wait, capture_wait},
    [NODE_EVENT_RECORD] = {do_record, capture_record},
    [NODE_ALLOC]        = {do_alloc, NULL},
    [NODE_FREE]         = {do_plain, NULL},
    [NODE_CONDITIONAL]  = {do_plain, NULL},
    [NODE_WAIT_VALUE]   = {do_wait_value, capture_none},
    [NODE_WRITE_VALUE]  = {do_write_value, capture_none},
};

/* A node of a graph may name what was destroyed since. */
static CuErr check_names(const GraphNode *n)
{
    if (n->kind == NODE_KERNEL && (!n->kernel || !n->kernel->image))
        return cudaErrorInvalidResourceHandle;
    if ((n->kind == NODE_EVENT_RECORD || n->kind == NODE_EVENT_WAIT) && !event_of(n->event))
        return event_error(n->event);
    return cudaSuccess;
}

CuErr work_do(Stream *s, GraphNode *n)
{
    const struct Way *way = &ways[n->kind];
    CuErr             e   = capture_check(s);
    if (e == cudaSuccess)
        e = check_names(n);
    if (e != cudaSuccess)
        return e;
    if (!s->capture) {
        e = way->go(s, n);
        queue_called();
        return e;
    }
    return way->capture ? way->capture(s, n) : capture_node(s, n);
}

CuErr stream_do(void *stream, GraphNode *n)
{
    Stream *s = stream_of(stream);
    return s ? work_do(s, n) : stream_error(stream);
}

/* ---- work by its kind ---- */

CuErr stream_launch(void *stream, Kernel *k, const LaunchAsk *ask)
{
    GraphNode n = {.kind = NODE_KERNEL, .kernel = k, .ask = *ask};
    Event    *v = event_of(ask->event);
    CuErr     e = v || !ask->event ? stream_do(stream, &n) : event_error(ask->event);
    return e == cudaSuccess && v ? event_record(v, stream) : e;
}

CuErr stream_value(void *stream, NodeKind kind, NodeValue v)
{
    GraphNode n = {.kind = kind, .value = v};
    return stream_do(stream, &n);
}

CuErr stream_copy_node(const NodeCopy *c, void *stream)
{
    GraphNode n = {.kind = NODE_COPY, .copy = *c};
    return stream_do(stream, &n);
}

CuErr stream_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind,
                  void *stream)
{
    NodeCopy c = {.dst    = dst,
                  .src    = src,
                  .dpitch = dpitch,
                  .spitch = spitch,
                  .width  = width,
                  .height = height,
                  .depth  = 1,
                  .kind   = kind};
    return stream_copy_node(&c, stream);
}

CuErr stream_copy_array(const CopyEnd *dst, const CopyEnd *src, size_t width, size_t height, size_t depth, int kind,
                        void *stream)
{
    NodeCopy c;
    CuErr    e = array_copy_node(dst, src, width, height, depth, kind, &c);
    return e == cudaSuccess ? stream_copy_node(&c, stream) : e;
}

CuErr stream_set(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, void *stream)
{
    GraphNode n = {.kind = NODE_SET, .set = {dst, pitch, value, element, width, height}};
    return stream_do(stream, &n);
}

CuErr stream_host(void *stream, void (*fn)(void *), void *user)
{
    GraphNode n = {.kind = NODE_HOST, .host = {fn, user}};
    return fn ? stream_do(stream, &n) : cudaErrorInvalidValue;
}

CuErr event_record(void *event, void *stream)
{
    Event    *v = event_of(event);
    GraphNode n = {.kind = NODE_EVENT_RECORD, .event = v};
    if (v && stream_foreign(stream, v->context))
        return cudaErrorInvalidResourceHandle;
    return v ? stream_do(stream, &n) : event_error(event);
}

CuErr stream_wait(void *stream, void *event)
{
    GraphNode n = {.kind = NODE_EVENT_WAIT, .event = event_of(event)};
    return n.event ? stream_do(stream, &n) : event_error(event);
}
