/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams and events as objects: creation, order, time.  Since work is complete when its call returns, every query answers "done"
 * and a wait has nothing to wait for; an event's time is the host's clock when it was recorded, so the time between two events
 * is what the emulator took.  Host functions are called at once, without the lock, so they may call what they like. */
#include "cuda/stream.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"

enum { STREAM_MAGIC = 0x7374726d, EVENT_MAGIC = 0x65766e74, NON_BLOCKING = 1 };

static Stream   legacy = {.magic = STREAM_MAGIC, .id = 1}, per_thread = {.magic = STREAM_MAGIC, .id = 2};
static Stream **streams;
static Event  **events;
static size_t   nstreams, nevents;
static uint64_t ids = 2;

Stream *stream_of(void *handle)
{
    if (!handle || handle == (void *)1)
        return &legacy;
    if (handle == (void *)2)
        return &per_thread;
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] == handle)
            return streams[i];
    return NULL;
}

CuErr stream_use(void *handle, bool *captured)
{
    Stream *s = stream_of(handle);
    *captured = s && s->capture;
    return s ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr stream_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind,
                  void *stream)
{
    bool  captured;
    CuErr e = stream_use(stream, &captured);
    if (e != cudaSuccess)
        return e;
    NodeCopy c = {.dst    = dst,
                  .src    = src,
                  .dpitch = dpitch,
                  .spitch = spitch,
                  .width  = width,
                  .height = height,
                  .depth  = 1,
                  .kind   = kind};
    if (captured)
        return cgraph_capture_copy(stream, &c);
    return height == 1 ? devmem_copy(dst, src, width, kind)
                       : devmem_copy_2d(dst, dpitch, src, spitch, width, height, kind);
}

CuErr stream_set(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, void *stream)
{
    bool  captured;
    CuErr e = stream_use(stream, &captured);
    if (e != cudaSuccess)
        return e;
    NodeSet s = {dst, pitch, value, element, width, height};
    return captured ? cgraph_capture_set(stream, &s) : devmem_set_2d(dst, pitch, value, element, width, height);
}

CuErr stream_host(void *stream, void (*fn)(void *), void *user)
{
    bool  captured;
    CuErr e = stream_use(stream, &captured);
    if (e != cudaSuccess || !fn)
        return fn ? e : cudaErrorInvalidValue;
    if (captured)
        return cgraph_capture_host(stream, (NodeHost){fn, user});
    state_flush();
    unsigned held = state_release();
    fn(user);
    state_retake(held);
    return cudaSuccess;
}

void stream_leave_capture(Capture *c)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i]->capture == c)
            streams[i]->capture = NULL;
    if (per_thread.capture == c)
        per_thread.capture = NULL;
    for (size_t i = 0; i < nevents; i++)
        if (events[i]->capture == c)
            events[i]->capture = NULL;
    free(c);
}

/* ---- streams ---- */

static CuErr stream_create(void **out, unsigned flags, int priority)
{
    CuErr e;
    if (!out || flags > NON_BLOCKING)
        return cudaErrorInvalidValue;
    if (!state_device(state_current(), &e))
        return e;
    Stream *s           = xcalloc(1, sizeof *s);
    *s                  = (Stream){.magic = STREAM_MAGIC, .flags = flags, .device = state_current(), .id = ++ids};
    s->priority         = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    streams             = xrealloc(streams, (nstreams + 1) * sizeof *streams);
    streams[nstreams++] = s;
    *out                = s;
    return cudaSuccess;
}

CuErr rt_cudaStreamCreate(void **out)
{
    ENTER();
    return LEAVE(stream_create(out, 0, 0));
}

CuErr rt_cudaStreamCreateWithFlags(void **out, unsigned flags)
{
    ENTER();
    return LEAVE(stream_create(out, flags, 0));
}

CuErr rt_cudaStreamCreateWithPriority(void **out, unsigned flags, int priority)
{
    ENTER();
    return LEAVE(stream_create(out, flags, priority));
}

CuErr rt_cudaStreamDestroy(void *stream)
{
    ENTER();
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] == stream) {
            streams[i]->magic = 0;
            free(streams[i]->tail);
            free(streams[i]);
            streams[i] = streams[--nstreams];
            return LEAVE(cudaSuccess);
        }
    return LEAVE(cudaErrorInvalidResourceHandle);
}

/* Synchronising in a stream that captures is the driver's error. */
static CuErr done(void *stream)
{
    const Stream *s = stream_of(stream);
    if (!s)
        return cudaErrorInvalidResourceHandle;
    if (s->capture)
        return cudaErrorStreamCaptureUnsupported;
    state_flush();
    return cudaSuccess;
}

CuErr rt_cudaStreamSynchronize(void *stream)
{
    ENTER();
    return LEAVE(done(stream));
}

CuErr rt_cudaStreamQuery(void *stream)
{
    ENTER();
    return LEAVE(done(stream));
}

CuErr rt_cudaStreamGetFlags(void *stream, unsigned *flags)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s)
        *flags = s->flags;
    return LEAVE(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CuErr rt_cudaStreamGetPriority(void *stream, int *priority)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s)
        *priority = s->priority;
    return LEAVE(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CuErr rt_cudaStreamGetId(void *stream, unsigned long long *id)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s)
        *id = s->id;
    return LEAVE(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CuErr rt_cudaStreamGetDevice(void *stream, int *device)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s)
        *device = s == &legacy || s == &per_thread ? state_current() : s->device;
    return LEAVE(s ? cudaSuccess : cudaErrorInvalidResourceHandle);
}

CuErr rt_cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    ENTER();
    if (least)
        *least = 0;
    if (greatest)
        *greatest = -5;
    return LEAVE(cudaSuccess);
}

typedef void (*StreamCallback)(void *stream, int status, void *user);
typedef struct CallbackArgs {
    StreamCallback fn;
    void          *stream, *user;
} CallbackArgs;

static void call_back(void *args)
{
    CallbackArgs *a = args;
    a->fn(a->stream, cudaSuccess, a->user);
    free(a);
}

CuErr rt_cudaStreamAddCallback(void *stream, StreamCallback fn, void *user, unsigned flags)
{
    ENTER();
    if (!fn || flags)
        return LEAVE(cudaErrorInvalidValue);
    CallbackArgs *a = xmalloc(sizeof *a);
    *a              = (CallbackArgs){fn, stream, user};
    return LEAVE(stream_host(stream, call_back, a));
}

CuErr rt_cudaLaunchHostFunc(void *stream, void (*fn)(void *), void *user)
{
    ENTER();
    return LEAVE(stream_host(stream, fn, user));
}

CuErr rt_cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags)
{
    (void)bytes;
    ENTER();
    const Range *r  = devmem_range((uint64_t)(uintptr_t)p);
    bool         ok = stream_of(stream) && r && r->kind == MEMORY_MANAGED && (flags == 1 || flags == 2 || flags == 4);
    return LEAVE(ok ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- events ---- */

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
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    v->at       = (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
    v->recorded = true;
    return cudaSuccess;
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

static CuErr event_done(void *event)
{
    const Event *v = event_of(event);
    if (!v)
        return cudaErrorInvalidResourceHandle;
    if (v->capture)
        return cudaErrorCapturedEvent;
    state_flush();
    return cudaSuccess;
}

CuErr rt_cudaEventSynchronize(void *event)
{
    ENTER();
    return LEAVE(event_done(event));
}

CuErr rt_cudaEventQuery(void *event)
{
    ENTER();
    return LEAVE(event_done(event));
}

CuErr rt_cudaEventElapsedTime(float *ms, void *from, void *to)
{
    ENTER();
    const Event *a = event_of(from), *b = event_of(to);
    if (!a || !b || (a->flags & EVENT_NO_TIME) || (b->flags & EVENT_NO_TIME) || !a->recorded || !b->recorded)
        return LEAVE(cudaErrorInvalidResourceHandle);
    *ms = (float)((b->at - a->at) * 1e3);
    return LEAVE(cudaSuccess);
}

CuErr stream_wait(void *stream, Event *v)
{
    Stream *s = stream_of(stream);
    if (!s || !v)
        return cudaErrorInvalidResourceHandle;
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
    (void)flags;
    ENTER();
    return LEAVE(stream_wait(stream, event_of(event)));
}
