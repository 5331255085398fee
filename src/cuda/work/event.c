/* SPDX-License-Identifier: Apache-2.0
 *
 * Events, of both interfaces: a place in a stream's work that is reached when that is done, or, in a stream that captures, a place in the
 * graph.  An event's time is the host's clock when it was reached, so the time between two events is what the emulator took. */
#include "cuda/work/event.h"

#include <stdlib.h>
#include <time.h>

#include "base/arena.h"

enum { EVENT_MAGIC = 0x65766e74 };

static Event *events; /* by handle */

static Event *made(const void *handle)
{
    Event *v;
    HASH_FIND_PTR(events, &handle, v);
    return v;
}

Event *event_of(void *handle)
{
    Event *v = made(handle);
    return v && !context_destroyed(v->context) ? v : NULL;
}

CuErr event_error(const void *handle)
{
    const Event *v = made(handle);
    return v && context_destroyed(v->context) ? cudaErrorContextIsDestroyed : cudaErrorInvalidResourceHandle;
}

CuErr event_create(void **out, unsigned flags)
{
    CuErr e;
    if (!out || flags > 7 || ((flags & EVENT_IPC) && !(flags & EVENT_NO_TIME)))
        return cudaErrorInvalidValue;
    if (!state_device(state_current(), &e))
        return e;
    Event *v   = xcalloc(1, sizeof *v);
    v->magic   = EVENT_MAGIC;
    v->flags   = flags;
    v->device  = state_current();
    v->context = context_now();
    v->handle  = v;
    HASH_ADD_PTR(events, handle, v);
    *out = v;
    return cudaSuccess;
}

bool event_destroy(void *event)
{
    Event *v = made(event);
    if (!v)
        return false;
    HASH_DEL(events, v);
    free(v->tail);
    free(v->know.count);
    free(v);
    return true;
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
    if (v->word.at)
        *v->word.at = 0;
}

bool event_awaits_other(const Event *v)
{
    return v->word.at && *v->word.at;
}

void events_leave_capture(const Capture *c)
{
    for (Event *v = events; v; v = v->hh.next)
        if (v->capture == c)
            v->capture = NULL;
}
