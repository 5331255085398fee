/* SPDX-License-Identifier: Apache-2.0
 *
 * The queues of streams and the threads that empty them.
 *
 * Each stream counts what was queued and what is done; a ticket is a stream and a count.  A node may run when it is the first of its queue
 * and its tickets are done: those of the event it waits for, and, between the default stream and the others of its device that are not
 * cudaStreamNonBlocking, of everything queued before it.  A thread holds the state's lock while it works and gives it up whenever a
 * kernel pauses, so kernels of several streams take turns (turns.c) and the program's calls come in between; nothing runs at the same time.
 * After an error that sticks, what is queued is dropped, as on the driver. */
#include "cuda/work/queue.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "cuda/process/signals.h"
#include "cuda/work/kernel_launch.h"
#include "cuda/work/perform.h"
#include "cuda/work/sequence.h"
#include "cuda/work/standstill.h"
#include "cuda/work/turns.h"

enum { SHORT_NAP = 50 };   /* microseconds between looks at what somebody else must bring */
enum { HELD_NAPS = 2000 }; /* about a tenth of a second */

/* ---- order ---- */

static bool ordered(const Stream *a, const Stream *b)
{
    return a != b && (a->legacy || b->legacy) && !(a->flags & 1) && !(b->flags & 1) && a->device == b->device;
}

bool queue_busy(Stream *s)
{
    if (turns_has_work(s))
        return true;
    for (size_t i = 0; i < stream_count(); i++)
        if (ordered(s, stream_at(i)) && turns_has_work(stream_at(i)))
            return true;
    return false;
}

bool queue_any(void)
{
    for (size_t i = 0; i < stream_count(); i++)
        if (turns_has_work(stream_at(i)))
            return true;
    return false;
}

bool queue_pending(const Event *v)
{
    return v->in && v->in->done < v->ticket;
}

static void add_ticket(GraphNode *n, Stream *s, uint64_t count)
{
    n->after              = xrealloc(n->after, (n->nafter + 1) * sizeof *n->after);
    n->after[n->nafter++] = (Ticket){s, count};
}

/* Can nothing in any queue go on now but kernels that have begun, and does `is` hold for those? */
static bool queue_rests(bool (*is)(const Standstill *s, void *user), void *user)
{
    bool rests = true;
    for (size_t i = 0; i < stream_count() && rests; i++) {
        const Stream    *s = stream_at(i);
        const GraphNode *n = turns_has_work(s) ? s->queue->node[0] : NULL;
        if (n && turns_may_run(n))
            rests = n->running ? is(launch_standstill(n->running), user)
                               : n->kind == NODE_WAIT_VALUE && !node_value_reached(n);
    }
    return rests;
}

/* A thread waits for streams until wait_ends(). */
static void wait_begins(void)
{
    standstill_waits(true);
    turns_wait(true);
}

static void wait_ends(void)
{
    turns_wait(false);
    standstill_waits(false);
}

void queue_called(void)
{
    turns_called();
}

void queue_stirred(void)
{
    turns_stirred();
}

/* ---- kernels that are held ---- */

void queue_hold(GraphNode *n)
{
    n->held = true;
}

bool queue_held(const Stream *s)
{
    const Graph *q = s->queue;
    if (q && q->nnodes > 1 && q->node[q->nnodes - 1]->held) {
        wait_begins();
        while (q->nnodes > 1 && q->node[q->nnodes - 1]->held)
            state_wait();
        wait_ends();
    }
    return q && q->nnodes && q->node[q->nnodes - 1]->held;
}

void queue_let_go(void)
{
    for (size_t i = 0; i < stream_count(); i++) {
        const Graph *q = stream_at(i)->queue;
        if (q && q->nnodes)
            q->node[q->nnodes - 1]->held = false;
    }
}

/* ---- the thread of a stream ---- */

static void nap(unsigned us)
{
    unsigned held = state_release();
    usleep(us);
    state_retake(held);
}

/* True when the node's work is done. */
static bool work(const Stream *s, GraphNode *n)
{
    if (state.later != cudaSuccess || state.sticky != cudaSuccess) {
        return true; /* a kernel that has begun is never let go on */
    }
    if (n->kind != NODE_KERNEL && n->kind != NODE_WAIT_VALUE) {
        if (n->kind == NODE_HOST) /* it may tell other threads of the program that the work before it is done */
            sequence_host_work(n->work);
        const WorkOrder *was = sequence_enter(n->work);
        CuErr            e   = node_run(n);
        sequence_enter(was);
        if (e != cudaSuccess)
            state_fail_later(e);
        return true;
    }
    if (n->kind == NODE_WAIT_VALUE) {
        if (node_value_reached(n))
            return true;
        turns_taken(s, n, (LaunchPause){.waits = true});
        return false;
    }
    const WorkOrder *was = sequence_enter(n->work);
    CuErr            e   = n->running ? cudaSuccess : launch_start(n->kernel, &n->ask, &n->running);
    sequence_enter(was);
    if (n->running)
        launch_let_on(n->running);
    if (e != cudaSuccess || !n->running || launch_go_on(n->running))
        return true;
    turns_taken(s, n, *launch_pause(n->running));
    nap(1); /* the program's calls come in between */
    return false;
}

static void wait_for(uint64_t us)
{
    if (us == UINT64_MAX)
        state_wait();
    else
        state_wait_for(us);
}

static void *empty(void *arg)
{
    Stream  *s    = arg;
    unsigned naps = 0;
    state_lock();
    standstill_ours();
    state_set_current(s->device);
    while (s->queue->nnodes) {
        GraphNode *n  = s->queue->node[0];
        uint64_t   us = UINT64_MAX;
        if (state.leaving || !turns_may_run(n)) {
            wait_for(us);
            continue;
        }
        if (n->held) { /* behind it is nothing yet */
            n->held = ++naps < HELD_NAPS;
            nap(SHORT_NAP);
            continue;
        }
        naps = 0;
        if (!turns_mine(s, &us)) {
            wait_for(us);
            continue;
        }
        if (!work(s, n))
            continue;
        turns_done(s, n);
        node_free(n);
        s->done++;
        standstill_stirred();
        state_wake();
    }
    s->threaded = false;
    signals_thread_ends();
    state_unlock(NULL);
    return NULL;
}

static void start_thread(Stream *s)
{
    if (s->threaded)
        return;
    s->threaded = signals_thread(empty, s);
    if (!s->threaded)
        state_say("no thread can be started for a stream: its work does not go on");
}

GraphNode *queue_add(Stream *s, NodeKind kind, const Event *event)
{
    return queue_add_work(s, kind, event, sequence_submit(s));
}

GraphNode *queue_add_work(Stream *s, NodeKind kind, const Event *event, struct WorkOrder *work)
{
    queue_let_go();
    if (!s->queue)
        s->queue = cgraph_new();
    GraphNode *n = cgraph_add(s->queue, kind, NULL, 0);
    if (event && queue_pending(event))
        add_ticket(n, event->in, event->ticket);
    for (size_t i = 0; i < stream_count(); i++)
        if (ordered(s, stream_at(i)) && turns_has_work(stream_at(i)))
            add_ticket(n, stream_at(i), stream_at(i)->queued);
    n->work = work;
    s->queued++;
    start_thread(s);
    return n;
}

GraphNode *queue_add_running(Stream *s, Kernel *k, Running *r, struct WorkOrder *work)
{
    GraphNode *n = queue_add_work(s, NODE_KERNEL, NULL, work);
    node_name_kernel(n, k);
    n->running = r;
    turns_begun(n, *launch_pause(r));
    return n;
}

/* ---- waiting ---- */

void queue_settle(Stream *s)
{
    queue_let_go();
    if (queue_busy(s)) {
        wait_begins();
        while (queue_busy(s))
            state_wait();
        wait_ends();
    }
    sequence_host_stream(s);
    state_flush();
}

static bool device_busy(int n)
{
    for (size_t i = 0; i < stream_count(); i++)
        if (turns_has_work(stream_at(i)) && (n < 0 || stream_at(i)->device == n))
            return true;
    return false;
}

void queue_settle_device(int n)
{
    queue_let_go();
    if (device_busy(n)) {
        wait_begins();
        while (device_busy(n))
            state_wait();
        wait_ends();
    }
    for (size_t i = 0; n >= 0 && i < stream_count(); i++)
        if (stream_at(i)->device == n)
            sequence_host_stream(stream_at(i));
    if (n < 0)
        sequence_host_all();
    state_flush();
}

void queue_settle_event(const Event *v)
{
    queue_let_go();
    while (queue_pending(v) || event_awaits_other(v)) {
        if (!queue_pending(v)) { /* another process's work */
            nap(SHORT_NAP);
            continue;
        }
        wait_begins();
        while (queue_pending(v))
            state_wait();
        wait_ends();
    }
    sequence_host_event(v);
    state_flush();
}

bool queue_under_way(void)
{
    bool is = false;
    for (size_t i = 0; i < stream_count(); i++) {
        const Stream *s = stream_at(i);
        for (size_t k = 0; s->queue && k < s->queue->nnodes; k++)
            is |= s->queue->node[k]->running || s->queue->node[k]->kind == NODE_WAIT_VALUE;
    }
    return is;
}

/* The process ends: kernels that have begun are stopped, the rest is dropped. */
static void queue_end(void)
{
    for (size_t i = 0; i < stream_count(); i++) {
        Stream *s = stream_at(i);
        if (turns_has_work(s) && s->queue->node[0]->running)
            while (!launch_go_on(s->queue->node[0]->running))
                ;
        s->done = s->queued;
    }
}

/* After fork: the child has no streams' threads. */
static void queue_forget(void)
{
    standstill_forget();
    turns_forget();
    for (size_t i = 0; i < stream_count(); i++) {
        stream_at(i)->threaded = false;
        stream_at(i)->queue    = NULL;
        stream_at(i)->done     = stream_at(i)->queued;
    }
}

STATE_PART(work_left, queue_any)
STATE_PART(work_settle, queue_settle_device)
STATE_PART(work_end, queue_end)
STATE_PART(work_forget, queue_forget)
STANDSTILL_QUEUES(queue_rests)
