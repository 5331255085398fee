/* SPDX-License-Identifier: Apache-2.0
 *
 * Events, of both interfaces: a place in a stream's work that is reached when that is done, or, in a stream that captures, a place in the
 * graph.  An event's time is the host's clock when it was reached, so the time between two events is what the emulator took. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "cuda/queue.h"
#include "cuda/sequence.h"
#include "cuda/stream.h"

enum { EVENT_MAGIC = 0x65766e74 };

static Event **events;
static size_t  nevents;

Event *event_of(void *handle)
{
    for (size_t i = 0; i < nevents; i++)
        if (events[i] == handle)
            return events[i];
    return NULL;
}

CuErr event_create(void **out, unsigned flags)
{
    CuErr e;
    if (!out || flags > 7 || ((flags & EVENT_IPC) && !(flags & EVENT_NO_TIME)))
        return cudaErrorInvalidValue;
    if (!state_device(state_current(), &e))
        return e;
    Event *v          = xcalloc(1, sizeof *v);
    v->magic          = EVENT_MAGIC;
    v->flags          = flags;
    v->device         = state_current();
    events            = xrealloc(events, (nevents + 1) * sizeof *events);
    events[nevents++] = v;
    *out              = v;
    return cudaSuccess;
}

CuErr rt_cudaEventCreate(void **out)
{
    ENTER();
    return LEAVE(event_create(out, 0));
}

CuErr rt_cudaEventCreateWithFlags(void **out, unsigned flags)
{
    ENTER();
    return LEAVE(event_create(out, flags));
}

CuErr rt_cudaEventDestroy(void *event)
{
    ENTER();
    for (size_t i = 0; i < nevents; i++)
        if (events[i] == event) {
            free(events[i]->tail);
            free(events[i]->know.count);
            free(events[i]);
            events[i] = events[--nevents];
            return LEAVE(cudaSuccess);
        }
    return LEAVE(cudaErrorInvalidResourceHandle);
}

CuErr event_record(Event *v, void *stream)
{
    Stream *s = stream_of(stream);
    if (!v || !s)
        return cudaErrorInvalidResourceHandle;
    CuErr bad = capture_check(s);
    if (bad != cudaSuccess)
        return bad;
    free(v->tail);
    v->tail    = NULL;
    v->ntail   = 0;
    v->capture = s->capture;
    if (s->capture) {
        v->tail  = xcalloc(s->ntail + 1, sizeof *v->tail);
        v->ntail = s->ntail;
        if (s->ntail)
            memcpy(v->tail, s->tail, s->ntail * sizeof *v->tail);
        return cudaSuccess;
    }
    v->in = NULL;
    sequence_record(v, s);
    if (!queue_busy(s)) {
        event_reached(v, 0);
        return cudaSuccess;
    }
    GraphNode *n = queue_add(s, NODE_EVENT_RECORD, NULL);
    n->event     = v;
    n->ticket    = s->queued;
    v->in        = s;
    v->ticket    = s->queued;
    v->recorded  = true;
    if (v->pending)
        *v->pending = 1;
    return cudaSuccess;
}

void event_reached(void *event, uint64_t ticket)
{
    Event *v = event_of(event);
    if (!v || (ticket && v->ticket != ticket)) /* gone, or recorded again since */
        return;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    v->at       = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    v->recorded = true;
    if (v->pending)
        *v->pending = 0;
}

CuErr rt_cudaEventRecord(void *event, void *stream)
{
    ENTER();
    return LEAVE(event_record(event_of(event), stream));
}

CuErr rt_cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    ENTER();
    return LEAVE(flags > 1 ? cudaErrorInvalidValue : event_record(event_of(event), stream));
}

static CuErr event_usable(const Event *v)
{
    if (!v || !v->capture)
        return v ? cudaSuccess : cudaErrorInvalidResourceHandle;
    CuErr e             = v->capture->invalid ? cudaErrorInvalidValue : cudaErrorCapturedEvent;
    v->capture->invalid = true;
    return e;
}

CuErr rt_cudaEventSynchronize(void *event)
{
    ENTER();
    const Event *v = event_of(event);
    CuErr        e = event_usable(v);
    if (e == cudaSuccess) {
        queue_settle_event(v);
        e = state_sticky();
    }
    return LEAVE(e);
}

CuErr rt_cudaEventQuery(void *event)
{
    ENTER();
    const Event *v = event_of(event);
    CuErr        e = event_usable(v);
    if (e == cudaSuccess && (queue_pending(v) || (v->pending && *v->pending)))
        e = cudaErrorNotReady;
    if (e == cudaSuccess) {
        sequence_host_event(v);
        state_flush();
    }
    return LEAVE(e);
}

CuErr rt_cudaEventElapsedTime(float *ms, void *from, void *to)
{
    ENTER();
    const Event *a = event_of(from), *b = event_of(to);
    if (!ms)
        return LEAVE(cudaErrorInvalidValue);
    if (!a || !b || (a->flags & EVENT_NO_TIME) || (b->flags & EVENT_NO_TIME) || !a->recorded || !b->recorded)
        return LEAVE(cudaErrorInvalidResourceHandle);
    if (queue_pending(a) || queue_pending(b))
        return LEAVE(cudaErrorNotReady);
    *ms = (float)((b->at - a->at) * 1e3);
    return LEAVE(cudaSuccess);
}

CuErr stream_wait(void *stream, Event *v)
{
    Stream *s = stream_of(stream);
    if (!s || !v)
        return cudaErrorInvalidResourceHandle;
    CuErr bad = capture_check(s);
    if (bad != cudaSuccess || (v->capture && v->capture->invalid))
        return bad != cudaSuccess ? bad : cudaErrorStreamCaptureInvalidated;
    if (!v->capture && !s->capture)
        sequence_wait_event(s, v);
    if (!v->capture && !s->capture && (queue_pending(v) || (v->pending && *v->pending)))
        queue_add(s, NODE_EMPTY, v);
    if (!v->capture)
        return s->capture ? cudaErrorStreamCaptureIsolation : cudaSuccess;
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

CuErr rt_cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    ENTER();
    return LEAVE(flags > 1 ? cudaErrorInvalidValue : stream_wait(stream, event_of(event)));
}

void events_leave_capture(const Capture *c)
{
    for (size_t i = 0; i < nevents; i++)
        if (events[i]->capture == c)
            events[i]->capture = NULL;
}
