/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams as objects.  Each device has a default stream, each thread one of its own (cudaStreamPerThread). */
#include "cuda/work/stream.h"

#include <stdlib.h>

#include "base/arena.h"

enum { STREAM_MAGIC = 0x7374726d };

static Stream  *legacy[MAX_DEVICES];
static Stream **streams; /* all, the implicit ones too */
static size_t   nstreams;
static uint64_t ids = STREAM_PER_THREAD; /* the last that was given */

static _Thread_local Stream *per_thread;

size_t stream_count(void)
{
    return nstreams;
}

Stream *stream_at(size_t i)
{
    return streams[i];
}

static Stream *add_stream(uint64_t id, int device)
{
    Stream *s           = xcalloc(1, sizeof *s);
    *s                  = (Stream){.magic = STREAM_MAGIC, .id = id, .device = device};
    streams             = xrealloc(streams, (nstreams + 1) * sizeof *streams);
    streams[nstreams++] = s;
    return s;
}

static Stream *implicit(Stream **which, uint64_t id)
{
    if (!*which) {
        *which             = add_stream(id, state_current());
        (*which)->implicit = true;
        (*which)->legacy   = id == STREAM_LEGACY;
    }
    return *which;
}

static Stream *made(const void *handle)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] == handle && !streams[i]->implicit && !streams[i]->dying)
            return streams[i];
    return NULL;
}

Stream *stream_of(void *handle)
{
    if (!handle && state_per_thread)
        handle = (void *)STREAM_PER_THREAD;
    if (!handle || handle == (void *)STREAM_LEGACY)
        return implicit(&legacy[state_current()], STREAM_LEGACY);
    if (handle == (void *)STREAM_PER_THREAD)
        return implicit(&per_thread, STREAM_PER_THREAD);
    Stream *s = made(handle);
    return s && !context_destroyed(s->context) ? s : NULL;
}

bool stream_foreign(void *handle, const Context *c)
{
    const Stream  *s  = c ? stream_of(handle) : NULL;
    const Context *of = s && s->implicit ? context_now() : s ? s->context : NULL;
    return c && of && of != c;
}

CuErr stream_error(const void *handle)
{
    const Stream *s = made(handle);
    return s && context_destroyed(s->context) ? cudaErrorContextIsDestroyed : cudaErrorInvalidResourceHandle;
}

Stream *stream_spare(int device)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i]->spare && streams[i]->device == device && streams[i]->queued == streams[i]->done)
            return streams[i];
    Stream *s = add_stream(++ids, device);
    s->spare  = true;
    s->flags  = STREAM_NON_BLOCKING;
    return s;
}

CuErr stream_create(void **out, unsigned flags, int priority)
{
    CuErr e;
    if (!out || flags > STREAM_NON_BLOCKING)
        return cudaErrorInvalidValue;
    if (!state_device(state_current(), &e))
        return e;
    Stream *s   = add_stream(++ids, state_current());
    s->context  = context_now();
    s->flags    = flags;
    s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *out        = s;
    return cudaSuccess;
}

CuErr stream_destroy(Stream *s)
{
    if (s->queued) {
        s->dying = true;
        return cudaSuccess;
    }
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] == s)
            streams[i] = streams[--nstreams];
    free(s->tail);
    free(s->know.count);
    free(s->branch);
    free(s);
    return cudaSuccess;
}
