/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream capture: while a stream captures, work becomes nodes that depend on the stream's last ones.  An event recorded there carries the
 * point; a stream that waits for it joins the capture.  Ending it in a stream other than the first, or with streams that were not
 * joined again, is the error the driver gives. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/cgraph.h"
#include "cuda/stream.h"

static void set_tail(Stream *s, GraphNode *const *tail, size_t n)
{
    GraphNode **list = xcalloc(n + 1, sizeof *list);
    if (n)
        memcpy(list, tail, n * sizeof *list);
    free(s->tail);
    s->tail  = list;
    s->ntail = n;
}

CuErr capture_begin(void *stream, Graph *into, GraphNode *const *deps, size_t ndeps)
{
    Stream *s = stream_of(stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!stream || stream == (void *)1) /* the legacy stream cannot capture */
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture)
        return cudaErrorIllegalState;
    s->capture  = xcalloc(1, sizeof *s->capture);
    *s->capture = (Capture){.graph = into ? into : cgraph_new(), .origin = s, .users = 1};
    set_tail(s, deps, ndeps);
    return cudaSuccess;
}

CuErr capture_end(void *stream, Graph **out)
{
    Stream *s = stream_of(stream);
    *out      = NULL;
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (!s->capture)
        return cudaErrorIllegalState;
    if (s->capture->origin != s)
        return cudaErrorStreamCaptureUnmatched;
    *out = s->capture->graph;
    stream_leave_capture(s->capture);
    return cudaSuccess;
}

static GraphNode *append(void *stream, NodeKind kind)
{
    Stream    *s = stream_of(stream);
    GraphNode *n = cgraph_add(s->capture->graph, kind, s->tail, s->ntail);
    set_tail(s, &n, 1);
    return n;
}

CuErr cgraph_capture_kernel(void *stream, Kernel *k, const LaunchAsk *ask)
{
    return node_set_kernel(append(stream, NODE_KERNEL), k, ask);
}

CuErr cgraph_capture_copy(void *stream, const NodeCopy *c)
{
    append(stream, NODE_COPY)->copy = *c;
    return cudaSuccess;
}

CuErr cgraph_capture_set(void *stream, const NodeSet *set)
{
    append(stream, NODE_SET)->set = *set;
    return cudaSuccess;
}

CuErr cgraph_capture_host(void *stream, NodeHost h)
{
    append(stream, NODE_HOST)->host = h;
    return cudaSuccess;
}

CuErr cgraph_capture_memory(void *stream, NodeKind kind, NodeMemory m)
{
    append(stream, kind)->memory = m;
    return cudaSuccess;
}

CuErr cgraph_capture_child(void *stream, const Graph *g)
{
    append(stream, NODE_CHILD)->child = cgraph_clone(g);
    return cudaSuccess;
}

CuErr capture_set_tail(void *stream, GraphNode *const *deps, size_t n, bool replace)
{
    Stream *s = stream_of(stream);
    if (!s || !s->capture)
        return s ? cudaErrorIllegalState : cudaErrorInvalidResourceHandle;
    size_t      before = replace ? 0 : s->ntail;
    GraphNode **list   = xcalloc(before + n + 1, sizeof *list);
    if (before)
        memcpy(list, s->tail, before * sizeof *list);
    for (size_t i = 0; i < n; i++) {
        list[before + i] = node_of(deps[i]);
        if (!list[before + i] || list[before + i]->graph != s->capture->graph) {
            free(list);
            return cudaErrorInvalidValue;
        }
    }
    set_tail(s, list, before + n);
    free(list);
    return cudaSuccess;
}
