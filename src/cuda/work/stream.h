/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams as objects: what they are, which there are, which one a handle names.  Work is given to them by work.h. */
#ifndef WW_CUDA_STREAM_H
#define WW_CUDA_STREAM_H

#include "cuda/process/context.h"
#include "cuda/work/graph.h"

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
    const Context *context;      /* that was current when it was made, or NULL; with it, it ends */
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

enum { STREAM_NON_BLOCKING = 1 }; /* cudaStreamNonBlocking */

/* The handle's stream; NULL handle and the two named ones are the default streams.  NULL: not a stream. */
Stream *stream_of(void *handle);
/* Is it of another context than c?  NULL: c is any. */
bool    stream_foreign(void *handle, const Context *c);
/* Why stream_of gave NULL. */
CuErr   stream_error(const void *handle);
size_t  stream_count(void);
Stream *stream_at(size_t i);
CuErr   stream_create(void **out, unsigned flags, int priority);
/* One with work stays until that is done; events may name it even then, so its memory stays. */
CuErr   stream_destroy(Stream *s);
/* A stream of our own that has no work. */
Stream *stream_spare(int device);

#endif
