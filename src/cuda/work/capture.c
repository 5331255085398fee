/* SPDX-License-Identifier: Apache-2.0
 *
 * Stream capture: while a stream captures, work becomes nodes that depend on the stream's last ones.  An event recorded there carries the
 * point; a stream that waits for it joins the capture.  Ending it in a stream other than the first, or with streams that were not
 * joined again, is the error the driver gives, and so is a call between that a capture cannot have: then only its end remains. */
#include "cuda/work/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

static void set_tail(Stream *s, GraphNode *const *tail, size_t n)
{
    GraphNode **list = xcalloc(n + 1, sizeof *list);
    if (n)
        memcpy(list, tail, n * sizeof *list);
    free(s->tail);
    s->tail  = list;
    s->ntail = n;
}

/* ---- what captures forbid ---- */

enum { MODE_GLOBAL, MODE_THREAD_LOCAL, MODE_RELAXED };

static unsigned              captures; /* under way */
static _Thread_local int     mode_here;
static _Thread_local uint8_t thread_id; /* its address names the thread */

int capture_exchange_mode(int mode)
{
    int old   = mode_here;
    mode_here = mode;
    return old;
}

CuErr capture_broken(const Stream *s, CuErr e)
{
    if (s->capture && e != cudaSuccess)
        s->capture->invalid = true;
    return e;
}

CuErr capture_check(const Stream *s)
{
    CuErr e = cudaSuccess;
    if (!captures)
        return e;
    if (s->capture)
        return s->capture->invalid ? cudaErrorStreamCaptureInvalidated : e;
    for (size_t i = 0; s->legacy && i < stream_count(); i++) {
        const Stream *o = stream_at(i);
        if (o->capture && !(o->flags & STREAM_NON_BLOCKING) && o->device == s->device)
            e = capture_broken(o, cudaErrorStreamCaptureImplicit);
    }
    return e;
}

CuErr capture_unsafe(void)
{
    CuErr e = cudaSuccess;
    for (size_t i = 0; captures && mode_here != MODE_RELAXED && i < stream_count(); i++) {
        const Stream *s = stream_at(i);
        if (!s->capture || s->capture->mode == MODE_RELAXED)
            continue;
        bool own = s->capture->thread == (uintptr_t)&thread_id;
        if (own || (s->capture->mode == MODE_GLOBAL && mode_here == MODE_GLOBAL))
            e = capture_broken(s, cudaErrorStreamCaptureUnsupported);
    }
    return e;
}

/* ---- begin and end ---- */

CuErr capture_begin(void *stream, Graph *into, GraphNode *const *deps, size_t ndeps, int mode)
{
    Stream *s = stream_of(stream);
    if (!s)
        return stream_error(stream);
    if (s->legacy)
        return cudaErrorStreamCaptureUnsupported;
    if (s->capture)
        return cudaErrorIllegalState;
    s->capture = xcalloc(1, sizeof *s->capture);
    *s->capture =
        (Capture){.graph = into ? into : cgraph_new(), .origin = s, .mode = mode, .thread = (uintptr_t)&thread_id};
    set_tail(s, deps, ndeps);
    captures++;
    return cudaSuccess;
}

/* Marks the nodes of a list that are not marked yet, and puts them behind the others of `next`. */
static void mark(GraphNode *const *list, size_t n, GraphNode **next, size_t *nnext)
{
    for (size_t i = 0; i < n; i++)
        if (!list[i]->marked) {
            list[i]->marked  = true;
            next[(*nnext)++] = list[i];
        }
}

/* Marks the nodes that the stream's end depends on, itself too, and no others of its capture. */
static void mark_before(const Stream *s)
{
    const Graph *g    = s->capture->graph;
    GraphNode  **next = xcalloc(g->nnodes + 1, sizeof(GraphNode *));
    size_t       n    = 0;
    for (size_t i = 0; i < g->nnodes; i++)
        g->node[i]->marked = false;
    mark(s->tail, s->ntail, next, &n);
    for (size_t i = 0; i < n; i++)
        mark(next[i]->deps, next[i]->ndeps, next, &n);
    free(next);
}

/* Has every stream that takes part been joined by the first? */
static bool joined(const Stream *origin)
{
    mark_before(origin);
    for (size_t i = 0; i < stream_count(); i++) {
        const Stream *s = stream_at(i);
        for (size_t t = 0; s->capture == origin->capture && s != origin && t < s->ntail; t++)
            if (!s->tail[t]->marked)
                return false;
    }
    return true;
}

/* Every stream and event of the capture goes back to work. */
static void leave(Capture *c)
{
    for (size_t i = 0; i < stream_count(); i++)
        if (stream_at(i)->capture == c)
            stream_at(i)->capture = NULL;
    events_leave_capture(c);
    free(c);
}

CuErr capture_end(void *stream, Graph **out)
{
    Stream *s = stream_of(stream);
    *out      = NULL;
    if (!s)
        return stream_error(stream);
    if (!s->capture)
        return cudaErrorIllegalState;
    if (s->capture->origin != s)
        return capture_broken(s, cudaErrorStreamCaptureUnmatched);
    CuErr e = s->capture->invalid ? cudaErrorStreamCaptureInvalidated
              : joined(s)         ? cudaSuccess
                                  : cudaErrorStreamCaptureUnjoined;
    if (e == cudaSuccess)
        *out = s->capture->graph;
    leave(s->capture);
    captures--;
    return e;
}

/* ---- work ---- */

CuErr capture_node(Stream *s, const GraphNode *n)
{
    CuErr e = n->kind == NODE_KERNEL ? launch_check(n->kernel, &n->ask) : cudaSuccess;
    if (e != cudaSuccess)
        return capture_broken(s, e);
    GraphNode *made = cgraph_add(s->capture->graph, n->kind, s->tail, s->ntail);
    set_tail(s, &made, 1);
    return cgraph_copy_payload(made, n);
}

void capture_mark(const Stream *s, Event *v)
{
    free(v->tail);
    v->tail    = NULL;
    v->ntail   = 0;
    v->capture = s->capture;
    if (!s->capture)
        return;
    v->tail  = xcalloc(s->ntail + 1, sizeof *v->tail);
    v->ntail = s->ntail;
    if (s->ntail)
        memcpy(v->tail, s->tail, s->ntail * sizeof *v->tail);
}

CuErr capture_join(Stream *s, const Event *v)
{
    if (!v->capture || v->capture->invalid)
        return v->capture ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureIsolation;
    if (s->capture && s->capture != v->capture)
        return cudaErrorStreamCaptureMerge;
    if (!s->capture) {
        s->capture = v->capture;
        s->ntail   = 0;
    }
    s->tail = xrealloc(s->tail, (s->ntail + v->ntail + 1) * sizeof *s->tail);
    for (size_t i = 0; i < v->ntail; i++) {
        size_t j = 0;
        while (j < s->ntail && s->tail[j] != v->tail[i])
            j++;
        if (j == s->ntail)
            s->tail[s->ntail++] = v->tail[i];
    }
    return cudaSuccess;
}

CuErr capture_set_tail(void *stream, GraphNode *const *deps, size_t n, bool replace)
{
    Stream *s = stream_of(stream);
    if (!s || !s->capture)
        return s ? cudaErrorIllegalState : stream_error(stream);
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
