/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: capture of a stream's work as a graph (capture.c). */
#include "cuda/work/capture.h"
#include "cuda/work/graph.h"
#include "cuda/work/stream.h"

CuErr rt_cudaStreamBeginCapture(void *stream, int mode)
{
    ENTER();
    return LEAVE(mode < 0 || mode > 2 ? cudaErrorInvalidValue : capture_begin(stream, NULL, NULL, 0, mode));
}

CuErr rt_cudaStreamBeginCaptureToGraph(void *stream, void *graph, void *const *deps, const void *data, size_t n,
                                       int mode)
{
    (void)data;
    ENTER();
    Graph *g = cgraph_of(graph, false);
    return LEAVE(!g || mode < 0 || mode > 2 ? cudaErrorInvalidValue
                                            : capture_begin(stream, g, (GraphNode *const *)deps, n, mode));
}

CuErr rt_cudaStreamEndCapture(void *stream, void **out)
{
    ENTER();
    Graph *g = NULL;
    CuErr  e = capture_end(stream, &g);
    if (out)
        *out = g;
    return LEAVE(e);
}

static int capture_status(const Stream *s)
{
    enum { NONE, ACTIVE, INVALIDATED };
    return !s->capture ? NONE : s->capture->invalid ? INVALIDATED : ACTIVE;
}

CuErr rt_cudaStreamIsCapturing(void *stream, int *status)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && status)
        *status = capture_status(s);
    return LEAVE(!s ? stream_error(stream) : status ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaThreadExchangeStreamCaptureMode(int *mode)
{
    ENTER();
    if (!mode || *mode < 0 || *mode > 2)
        return LEAVE(cudaErrorInvalidValue);
    *mode = capture_exchange_mode(*mode);
    return LEAVE(cudaSuccess);
}

static CuErr capture_info(void *stream, int *status, unsigned long long *id, void **graph, GraphNode ***deps, size_t *n)
{
    const Stream *s = stream_of(stream);
    if (!s || !status)
        return s ? cudaErrorInvalidValue : stream_error(stream);
    *status = capture_status(s);
    if (s->capture && id)
        *id = s->id;
    if (s->capture && graph)
        *graph = s->capture->graph;
    if (s->capture && deps)
        *deps = s->tail;
    if (s->capture && n)
        *n = s->ntail;
    return cudaSuccess;
}

CuErr rt_cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph, GraphNode ***deps,
                                  const void **data, size_t *n)
{
    ENTER();
    if (data)
        *data = NULL;
    return LEAVE(capture_info(stream, status, id, graph, deps, n));
}

CuErr rt_cudaStreamGetCaptureInfo_12(void *stream, int *status, unsigned long long *id)
{
    ENTER();
    return LEAVE(capture_info(stream, status, id, NULL, NULL, NULL));
}

CuErr rt_cudaStreamGetCaptureInfo_12v2(void *stream, int *status, unsigned long long *id, void **graph,
                                       GraphNode ***deps, size_t *n)
{
    ENTER();
    return LEAVE(capture_info(stream, status, id, graph, deps, n));
}

enum { ADD_DEPENDENCIES, SET_DEPENDENCIES }; /* cudaStreamUpdateCaptureDependenciesFlags */

CuErr rt_cudaStreamUpdateCaptureDependencies(void *stream, GraphNode **deps, const void *data, size_t n, unsigned flags)
{
    (void)data;
    ENTER();
    return LEAVE(flags > SET_DEPENDENCIES || (n && !deps)
                     ? cudaErrorInvalidValue
                     : capture_set_tail(stream, deps, n, flags == SET_DEPENDENCIES));
}

CuErr rt_cudaStreamUpdateCaptureDependencies_12(void *stream, GraphNode **deps, size_t n, unsigned flags)
{
    return rt_cudaStreamUpdateCaptureDependencies(stream, deps, NULL, n, flags);
}
