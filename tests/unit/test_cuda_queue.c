/* SPDX-License-Identifier: Apache-2.0
 *
 * The queues of streams, over nodes that only note that they ran: what comes before what in a stream, behind events and around the default
 * stream, what an error drops, and what the end of a process and a fork leave. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* as the drop-in libraries are compiled */
#endif
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "cuda/work/queue.c" /* they are in the drop-in libraries, which show nothing of them */
#include "cuda/work/turns.c"

/* ---- what queue.c needs, as little of it as will do ---- */

enum { STREAMS = 4, LEGACY = 0 };

State            state;
StateParts       state_parts;
StandstillQueues standstill_queues;

static pthread_mutex_t        lock  = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_cond_t         woken = PTHREAD_COND_INITIALIZER;
static _Thread_local unsigned depth;
static Stream                 streams[STREAMS];
static char                   ran[64]; /* the names of the nodes, in the order in which they ran */
static bool                   open;    /* what the waiting nodes wait for has come */
static unsigned               turns, flushed;

int state_lock(void)
{
    pthread_mutex_lock(&lock);
    depth++;
    return 0;
}

void state_unlock(int *unused)
{
    (void)unused;
    depth--;
    pthread_mutex_unlock(&lock);
}

unsigned state_release(void)
{
    unsigned n = depth;
    while (depth)
        state_unlock(NULL);
    return n;
}

void state_retake(unsigned n)
{
    while (depth < n)
        state_lock();
}

void state_wait(void)
{
    unsigned n = depth;
    while (depth > 1)
        state_unlock(NULL);
    pthread_cond_wait(&woken, &lock);
    state_retake(n);
}

void state_wait_for(uint64_t us)
{
    struct timespec end;
    unsigned        n = depth;
    while (depth > 1)
        state_unlock(NULL);
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += (long)us * 1000;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&woken, &lock, &end);
    state_retake(n);
}

void state_wake(void)
{
    pthread_cond_broadcast(&woken);
}

bool signals_thread(void *(*fn)(void *), void *arg)
{
    pthread_t t;
    return pthread_create(&t, NULL, fn, arg) == 0 && pthread_detach(t) == 0;
}

void signals_thread_ends(void) {}
void standstill_ours(void) {}
void standstill_stirred(void) {}
void standstill_forget(void) {}

void standstill_waits(bool begins)
{
    (void)begins;
}

void state_set_current(int n)
{
    (void)n;
}

void state_fail_later(CuErr e)
{
    state.later = e;
}

void state_flush(void)
{
    flushed++;
}

void state_say(const char *fmt, ...)
{
    (void)fmt;
}

size_t stream_count(void)
{
    return STREAMS;
}

Stream *stream_at(size_t i)
{
    return &streams[i];
}

Graph *cgraph_new(void)
{
    return xcalloc(1, sizeof(Graph));
}

GraphNode *cgraph_add(Graph *g, NodeKind kind, GraphNode *const *deps, size_t ndeps)
{
    (void)deps, (void)ndeps;
    GraphNode *n         = xcalloc(1, sizeof *n);
    g->node              = xrealloc(g->node, (g->nnodes + 1) * sizeof *g->node);
    g->node[g->nnodes++] = n;
    n->kind              = kind;
    n->graph             = g;
    return n;
}

void node_name_kernel(GraphNode *n, Kernel *k)
{
    n->kernel = k;
}

void node_free(GraphNode *n)
{
    Graph *g = n->graph;
    memmove(g->node, g->node + 1, --g->nnodes * sizeof *g->node); /* queues give up their first */
    free(n->after);
    free(n);
}

/* serial is the node's name; '!' fails. */
CuErr node_run(GraphNode *n)
{
    ran[strlen(ran)] = (char)n->serial;
    return n->serial == '!' ? cudaErrorUnknown : cudaSuccess;
}

bool node_value_reached(const GraphNode *n)
{
    if (open)
        ran[strlen(ran)] = (char)n->serial;
    return open;
}

/* A kernel that goes on for `turns` turns. */
CuErr launch_start(Kernel *k, const LaunchAsk *ask, Running **out)
{
    (void)k, (void)ask;
    *out = (Running *)&turns;
    return cudaSuccess;
}

const Standstill *launch_standstill(const Running *p)
{
    (void)p;
    return NULL;
}

bool event_awaits_other(const Event *v)
{
    (void)v;
    return false;
}

void launch_let_on(Running *p)
{
    (void)p;
}

const LaunchPause *launch_pause(const Running *p)
{
    (void)p;
    static const LaunchPause waits = {.waits = true};
    return &waits;
}

bool launch_go_on(Running *p)
{
    (void)p;
    if (turns && --turns)
        return false;
    ran[strlen(ran)] = 'K';
    return true;
}

WorkOrder *sequence_submit(Stream *s)
{
    (void)s;
    return NULL;
}

const WorkOrder *sequence_enter(const WorkOrder *o)
{
    return o;
}

void sequence_host_work(const WorkOrder *o)
{
    (void)o;
}

void sequence_host_stream(Stream *s)
{
    (void)s;
}

void sequence_host_event(const Event *e)
{
    (void)e;
}

void sequence_host_all(void) {}

/* ---- the tests: stream 0 is the default one, 3 is cudaStreamNonBlocking, 2 is of another device ---- */

static int begin(void **unused)
{
    (void)unused;
    memset(streams, 0, sizeof streams);
    memset(ran, 0, sizeof ran);
    state                  = (State){.later = cudaSuccess};
    streams[LEGACY].legacy = true;
    streams[2].device      = 1;
    streams[3].flags       = 1;
    open                   = false;
    turns = flushed = 0;
    state_lock();
    return 0;
}

static int end(void **unused)
{
    (void)unused;
    open = true;
    for (int i = 0; i < STREAMS; i++)
        while (streams[i].threaded)
            state_release(), usleep(100), state_retake(1);
    for (int i = 0; i < STREAMS; i++)
        if (streams[i].queue) {
            free(streams[i].queue->node);
            free(streams[i].queue);
        }
    state_unlock(NULL);
    return 0;
}

static void add(int stream, NodeKind kind, char name, const Event *behind)
{
    queue_add(&streams[stream], kind, behind)->serial = (uint64_t)name;
}

/* A node that waits until the gate is opened, under its name. */
static void add_gate(int stream, char name)
{
    add(stream, NODE_WAIT_VALUE, name, NULL);
}

static void a_stream_keeps_its_order(void **unused)
{
    (void)unused;
    turns = 3;
    add(1, NODE_KERNEL, 'k', NULL);
    add(1, NODE_COPY, 'b', NULL);
    add(1, NODE_HOST, 'c', NULL);
    assert_true(queue_busy(&streams[1]));
    assert_true(queue_any());
    queue_settle(&streams[1]);
    assert_string_equal(ran, "Kbc");
    assert_false(queue_any());
    assert_int_equal(flushed, 1);
}

static void an_event_holds_back(void **unused)
{
    (void)unused;
    add_gate(3, 'g');
    Event e = {.in = &streams[3], .ticket = streams[3].queued};
    add(2, NODE_COPY, 'a', NULL);
    add(2, NODE_COPY, 'b', &e);
    assert_true(queue_pending(&e));
    while (streams[2].done < 1)
        state_wait();
    assert_string_equal(ran, "a");
    open = true;
    queue_settle_event(&e);
    assert_false(queue_pending(&e));
    queue_settle(&streams[2]);
    assert_string_equal(ran, "agb");
}

static void the_default_stream_orders_its_device(void **unused)
{
    (void)unused;
    add_gate(1, 'g');
    assert_true(queue_busy(&streams[LEGACY]));
    assert_false(queue_busy(&streams[2])); /* another device */
    assert_false(queue_busy(&streams[3])); /* cudaStreamNonBlocking */
    add(LEGACY, NODE_COPY, 'd', NULL);
    add(2, NODE_COPY, 'o', NULL);
    add(3, NODE_COPY, 'n', NULL);
    queue_settle_device(1);
    queue_settle(&streams[3]);
    assert_int_equal(strlen(ran), 2);
    assert_null(strpbrk(ran, "gd"));
    open = true;
    queue_settle(&streams[LEGACY]);
    assert_string_equal(ran + 2, "gd");
}

static void an_error_drops_what_follows(void **unused)
{
    (void)unused;
    add(1, NODE_COPY, 'a', NULL);
    add(1, NODE_COPY, '!', NULL);
    add(1, NODE_COPY, 'b', NULL);
    add(3, NODE_COPY, 'c', &(Event){.in = &streams[1], .ticket = 3});
    queue_settle_device(-1);
    assert_string_equal(ran, "a!");
    assert_int_equal(state.later, cudaErrorUnknown);
}

static void the_end_stops_what_has_begun(void **unused)
{
    (void)unused;
    turns = 1000000;
    add(1, NODE_KERNEL, 'k', NULL);
    add(1, NODE_COPY, 'b', NULL);
    while (!streams[1].queue->node[0]->running)
        state_release(), usleep(100), state_retake(1);
    turns = 5;
    state_parts.work_end();
    assert_string_equal(ran, "K");
    assert_false(queue_any());
}

static void a_held_kernel_waits_for_what_follows(void **unused)
{
    (void)unused;
    turns = 1;
    add(1, NODE_COPY, 'a', NULL);
    add(1, NODE_KERNEL, 'k', NULL);
    queue_hold(streams[1].queue->node[streams[1].queue->nnodes - 1]);
    assert_true(queue_held(&streams[1])); /* waits until the copy is done */
    assert_string_equal(ran, "a");
    state_release(), usleep(1000), state_retake(1);
    assert_string_equal(ran, "a");
    add(1, NODE_COPY, 'b', NULL);
    assert_false(queue_held(&streams[1]));
    queue_settle(&streams[1]);
    assert_string_equal(ran, "aKb");
}

static void a_held_kernel_goes_by_itself_at_last(void **unused)
{
    (void)unused;
    turns = 1;
    add(1, NODE_KERNEL, 'k', NULL);
    queue_hold(streams[1].queue->node[0]);
    while (queue_any())
        state_release(), usleep(1000), state_retake(1);
    assert_string_equal(ran, "K");
}

static void a_child_begins_anew(void **unused)
{
    (void)unused;
    add_gate(1, 'g');
    Stream was = streams[1];
    state_parts.work_forget();
    assert_false(queue_any());
    assert_null(streams[1].queue);
    assert_false(streams[1].threaded);
    streams[1] = was; /* this is not a child: its thread is still there */
    open       = true;
    queue_settle(&streams[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_stream_keeps_its_order, begin, end),
        cmocka_unit_test_setup_teardown(an_event_holds_back, begin, end),
        cmocka_unit_test_setup_teardown(the_default_stream_orders_its_device, begin, end),
        cmocka_unit_test_setup_teardown(an_error_drops_what_follows, begin, end),
        cmocka_unit_test_setup_teardown(the_end_stops_what_has_begun, begin, end),
        cmocka_unit_test_setup_teardown(a_held_kernel_waits_for_what_follows, begin, end),
        cmocka_unit_test_setup_teardown(a_held_kernel_goes_by_itself_at_last, begin, end),
        cmocka_unit_test_setup_teardown(a_child_begins_anew, begin, end),
    };
    return cmocka_run_group_tests_name("cuda_queue", tests, NULL, NULL);
}
