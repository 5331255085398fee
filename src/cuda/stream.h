/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams and events.  Work runs in the call that asks for it, or waits in the stream's queue (queue.h); while a stream
 * captures, it becomes nodes of a graph instead. */
#ifndef WW_CUDA_STREAM_H
#define WW_CUDA_STREAM_H

#include "cuda/array.h"
#include "cuda/cgraph.h"
#include "cuda/devmem.h"

typedef struct WorkClock { /* by queue, how far something is known; those from n on: 0 (sequence.h) */
    uint32_t *count, n;
} WorkClock;

typedef struct Stream {
    unsigned magic;
    unsigned flags;
    int      priority, device;
    uint64_t id;
    bool     legacy, implicit;   /* the default stream; that or a thread's own */
    bool     dying;              /* destroyed, with work left */
    void    *green;              /* the green context it belongs to, or NULL */
    bool     spare;              /* no program's: for the branches of graphs */
    bool     threaded;           /* a thread empties the queue */
    Graph   *queue;              /* nodes in the order of their coming; NULL before the first */
    uint64_t queued, done;       /* counts */
    WorkClock know;              /* sequence.h, as are these: its queue, 0 before its first work; those for branches of graphs */
    uint32_t  order_queue, kernel_count, *branch; size_t nbranches; /* kernel_count: of the last kernel in that queue */
    LaunchAttribute *attrs;      /* by their numbers; NULL: none was set */
    Capture    *capture;         /* NULL: work runs */
    GraphNode **tail; size_t ntail; /* while capturing: what the next node depends on */
} Stream;

typedef struct Event {
    unsigned magic;
    unsigned flags;
    int      device;
    bool     recorded;
    double   at;       /* seconds */
    Stream  *in;       /* the work it marks: reached when in->done >= ticket; NULL: reached */
    uint64_t ticket;
    volatile uint32_t *pending; /* between processes: 1 while its work is not done; else NULL */
    int         pending_fd;
    WorkClock   know;       /* sequence.h */
    Capture    *capture;    /* recorded in a stream that is capturing: the point in the graph */
    GraphNode **tail; size_t ntail;
} Event;

enum { EVENT_BLOCKING = 1, EVENT_NO_TIME = 2, EVENT_IPC = 4 };

/* The handle's stream; NULL handle and the two named ones are the default streams.  NULL: not a stream. */
Stream *stream_of(void *handle);
size_t  stream_count(void);
Stream *stream_at(size_t i);
/* As calls that are not asynchronous do: waits for what is before it; the error that sticks, if there is one. */
CuErr   stream_settle(void *handle);
CuErr   stream_launch(void *handle, Kernel *k, const LaunchAsk *ask);
CuErr   stream_graph(void *stream, const Graph *g); /* graph_launch.c */
/* A stream of our own that has no work. */
Stream *stream_spare(int device);
CuErr   stream_value(void *stream, NodeKind kind, NodeValue v);
/* A copy in the stream: rows of `width` bytes, `height` of them (1: pitches are not looked at). */
CuErr   stream_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind, void *stream);
/* The same with slices. */
CuErr   stream_copy_node(const NodeCopy *c, void *stream);
/* The same with an array at either end, or both. */
CuErr   stream_copy_array(const CopyEnd *dst, const CopyEnd *src, size_t width, size_t height, size_t depth, int kind, void *stream);
CuErr   stream_set(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, void *stream);
CuErr   stream_host(void *stream, void (*fn)(void *), void *user);
/* Every stream and event of the capture goes back to work; frees c. */
void    stream_leave_capture(Capture *c);
/* event.c: its part of that */
void    events_leave_capture(const Capture *c);
Event  *event_of(void *handle);
CuErr   event_create(void **out, unsigned flags);
CuErr   event_record(Event *e, void *stream);
/* The work before it is done; ticket 0: whatever it was. */
void    event_reached(void *event, uint64_t ticket);
CuErr   stream_wait(void *stream, Event *e);

#endif
