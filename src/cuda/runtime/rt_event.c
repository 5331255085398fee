/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: events, in streams and between processes. */
#include "cuda/work/capture.h"
#include "cuda/work/event.h"
#include "cuda/work/queue.h"
#include "cuda/work/sequence.h"
#include "cuda/work/work.h"

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
    return LEAVE(event_of(event) && event_destroy(event) ? cudaSuccess : event_error(event));
}

CuErr rt_cudaEventRecord(void *event, void *stream)
{
    ENTER();
    return LEAVE(event_record(event, stream));
}

CuErr rt_cudaEventRecordWithFlags(void *event, void *stream, unsigned flags)
{
    ENTER();
    return LEAVE(flags > 1 ? cudaErrorInvalidValue : event_record(event, stream));
}

static CuErr event_usable(const Event *v, const void *event)
{
    if (!v || !v->capture)
        return v ? cudaSuccess : event_error(event);
    CuErr e             = v->capture->invalid ? cudaErrorInvalidValue : cudaErrorCapturedEvent;
    v->capture->invalid = true;
    return e;
}

/* What a card tells of an event even where it refuses all else. */
static bool has_ended(const Event *v)
{
    return v && !queue_pending(v) && !event_awaits_other(v);
}

#define ENTER_EVENT(v)                                                                                                 \
    ENTER_ALWAYS();                                                                                                    \
    const Event *v = event_of(event);                                                                                  \
    CuErr        e = state_refusal();                                                                                  \
    if (e != cudaSuccess)                                                                                              \
        return LEAVE(has_ended(v) ? cudaSuccess : e);                                                                  \
    e = state_sticky();                                                                                                \
    if (e != cudaSuccess)                                                                                              \
    return LEAVE(e)

CuErr rt_cudaEventSynchronize(void *event)
{
    ENTER_EVENT(v);
    e = event_usable(v, event);
    if (e == cudaSuccess) {
        queue_settle_event(v);
        e = state_sticky();
    }
    return LEAVE(e);
}

CuErr rt_cudaEventQuery(void *event)
{
    ENTER_EVENT(v);
    e = event_usable(v, event);
    if (e == cudaSuccess && (queue_pending(v) || event_awaits_other(v)))
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
    if (!a || !b)
        return LEAVE(event_error(a ? to : from));
    if ((a->flags & EVENT_NO_TIME) || (b->flags & EVENT_NO_TIME) || !a->recorded || !b->recorded)
        return LEAVE(cudaErrorInvalidResourceHandle);
    if (queue_pending(a) || queue_pending(b))
        return LEAVE(cudaErrorNotReady);
    *ms = (float)((b->at - a->at) * 1e3);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    ENTER();
    return LEAVE(flags > 1 ? cudaErrorInvalidValue : stream_wait(stream, event));
}

/* ---- between processes ---- */

CuErr rt_cudaIpcGetEventHandle(IpcHandle *out, void *event)
{
    ENTER();
    Event *v = event_of(event);
    if (!v || !out || !(v->flags & EVENT_IPC))
        return LEAVE(out ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    CuErr e = v->word.at ? cudaSuccess : ipc_word_new(&v->word);
    if (e == cudaSuccess)
        *out = ipc_word_handle(&v->word);
    return LEAVE(e);
}

CuErr rt_cudaIpcOpenEventHandle(void **out, IpcHandle h)
{
    ENTER();
    IpcWord w;
    CuErr   e = out ? ipc_word_open(&h, &w) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        e = event_create(out, EVENT_IPC | EVENT_NO_TIME);
    if (e == cudaSuccess)
        event_of(*out)->word = w;
    return LEAVE(e);
}
