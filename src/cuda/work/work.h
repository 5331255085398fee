/* SPDX-License-Identifier: Apache-2.0
 *
 * Work given to streams.  A GraphNode describes any piece of work; stream_do has it captured, run or queued. */
#ifndef WW_CUDA_WORK_H
#define WW_CUDA_WORK_H

#include "cuda/memory/array.h"
#include "cuda/work/event.h"

/* The one way of all work: while the stream captures, it becomes a node of the graph; else it runs in the call, or waits in the stream's
 * queue behind what is there.  A node that belongs to a graph (n->graph) is that graph's launch; its memory is read when it runs. */
CuErr stream_do(void *stream, GraphNode *n);
/* The same for a stream itself. */
CuErr work_do(Stream *s, GraphNode *n);
/* What that does with a graph (graph_launch.c). */
CuErr graph_launch(Stream *s, Graph *g);
/* As calls that are not asynchronous do: waits for what is before it; the error that sticks, if there is one. */
CuErr stream_settle(void *stream);
/* The same for every stream of the current device: cudaDeviceSynchronize. */
CuErr stream_settle_device(void);

/* Work by its kind.  A launch records the event that its attributes name. */
CuErr stream_launch(void *stream, Kernel *k, const LaunchAsk *ask);
CuErr stream_value(void *stream, NodeKind kind, NodeValue v);
/* A copy in the stream: rows of `width` bytes, `height` of them (1: pitches are not looked at). */
CuErr stream_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind, void *stream);
/* The same with slices. */
CuErr stream_copy_node(const NodeCopy *c, void *stream);
/* The same with an array at either end, or both. */
CuErr stream_copy_array(const CopyEnd *dst, const CopyEnd *src, size_t width, size_t height, size_t depth, int kind, void *stream);
CuErr stream_set(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, void *stream);
CuErr stream_host(void *stream, void (*fn)(void *), void *user);
CuErr event_record(void *event, void *stream);
CuErr stream_wait(void *stream, void *event);

#endif
