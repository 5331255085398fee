/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream capture: work becomes nodes of a graph. */
#ifndef WW_CUDA_CAPTURE_H
#define WW_CUDA_CAPTURE_H

#include "cuda/work/event.h"

struct Capture {
    Graph   *graph;
    void    *origin;   /* the stream it began in */
    int      mode;     /* cudaStreamCaptureMode */
    uintptr_t thread;  /* that began it */
    bool     invalid;  /* a call that it cannot have was made: it only remains to end it */
};

CuErr capture_begin(void *stream, Graph *into, GraphNode *const *deps, size_t ndeps, int mode);
CuErr capture_end(void *stream, Graph **out);
/* May work be given to the stream?  Invalidates captures that the default stream would have to wait for. */
CuErr capture_check(const Stream *s);
/* For calls that a capture forbids, as cudaMalloc: invalidates those it would disturb. */
CuErr capture_unsafe(void);
/* The same in a stream that captures; cudaSuccess when it does not. */
CuErr capture_broken(const Stream *s, CuErr e);
/* The thread's mode; returns the one before. */
int   capture_exchange_mode(int mode);
/* What the next node of a capturing stream depends on. */
CuErr capture_set_tail(void *stream, GraphNode *const *deps, size_t n, bool replace);

/* A piece of work given to a stream that captures becomes a node behind the stream's last ones. */
CuErr capture_node(Stream *s, const GraphNode *n);
/* The event marks the stream's point in its graph, or none when the stream does not capture. */
void  capture_mark(const Stream *s, Event *v);
/* The stream waits for an event, and it or the event belongs to a capture: the stream joins that. */
CuErr capture_join(Stream *s, const Event *v);

#endif
