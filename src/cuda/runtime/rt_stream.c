/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: streams, what they answer, and functions of the host in them. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/work/capture.h"
#include "cuda/work/queue.h"
#include "cuda/work/sequence.h"
#include "cuda/work/work.h"

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
    Stream *s = stream_of(stream);
    return LEAVE(s && !s->implicit ? stream_destroy(s) : stream_error(stream));
}

/* Synchronising in a stream that captures is the driver's error. */
static CuErr usable(const Stream *s, const void *stream)
{
    return !s           ? stream_error(stream)
           : s->capture ? capture_broken(s, cudaErrorStreamCaptureUnsupported)
                        : capture_check(s);
}

CuErr rt_cudaStreamSynchronize(void *stream)
{
    ENTER();
    Stream *s = stream_of(stream);
    CuErr   e = usable(s, stream);
    return LEAVE(e == cudaSuccess ? stream_settle(stream) : e);
}

CuErr rt_cudaStreamQuery(void *stream)
{
    ENTER();
    Stream *s = stream_of(stream);
    CuErr   e = usable(s, stream);
    if (e == cudaSuccess && queue_busy(s))
        e = cudaErrorNotReady;
    if (e == cudaSuccess) {
        sequence_host_stream(s);
        state_flush();
    }
    return LEAVE(e);
}

CuErr rt_cudaStreamGetFlags(void *stream, unsigned *flags)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && flags)
        *flags = s->flags;
    return LEAVE(!s ? stream_error(stream) : flags ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaStreamGetPriority(void *stream, int *priority)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && priority)
        *priority = s->priority;
    return LEAVE(!s ? stream_error(stream) : priority ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaStreamGetId(void *stream, unsigned long long *id)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && id)
        *id = s->id;
    return LEAVE(!s ? stream_error(stream) : id ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaStreamGetDevice(void *stream, int *device)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && device)
        *device = s->implicit ? state_current() : s->device;
    return LEAVE(!s ? stream_error(stream) : device ? cudaSuccess : cudaErrorInvalidValue);
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
    ENTER();
    const Range *r  = devmem_range((uint64_t)(uintptr_t)p);
    bool         ok = stream_of(stream) && r && r->kind == MEMORY_MANAGED && (!bytes || bytes == r->bytes) &&
              (flags == ATTACH_GLOBAL || flags == ATTACH_HOST || flags == ATTACH_SINGLE);
    return LEAVE(ok ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- attributes: kept and answered; those of a stream only advise ---- */

enum { ATTR_ACCESS_POLICY = 1, ATTR_SYNC_POLICY = 3, ATTR_DOMAIN_MAP = 9 };

static bool stream_attribute(int id)
{
    return id == ATTR_ACCESS_POLICY || id == ATTR_SYNC_POLICY || id == ATTR_PRIORITY || id == ATTR_DOMAIN_MAP ||
           id == ATTR_SYNC_DOMAIN;
}

CuErr rt_cudaStreamSetAttribute(void *stream, int id, const void *value)
{
    ENTER();
    Stream *s = stream_of(stream);
    if (!s || !value || !stream_attribute(id))
        return LEAVE(s ? cudaErrorInvalidValue : stream_error(stream));
    int first;
    memcpy(&first, value, sizeof first);
    if (id == ATTR_SYNC_POLICY && (first < 1 || first > 4))
        return LEAVE(cudaErrorInvalidValue);
    if (!s->attrs)
        s->attrs = xcalloc(ATTRIBUTES, sizeof *s->attrs);
    s->attrs[id].id = id;
    memcpy(&s->attrs[id].value, value, sizeof s->attrs[id].value);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaStreamGetAttribute(void *stream, int id, void *value)
{
    ENTER();
    const Stream   *s = stream_of(stream);
    LaunchAttribute a = {0};
    if (!s || !value || !stream_attribute(id))
        return LEAVE(s ? cudaErrorInvalidValue : stream_error(stream));
    if (s->attrs && s->attrs[id].id)
        a = s->attrs[id];
    else
        a.value.flag = id == ATTR_PRIORITY      ? s->priority
                       : id == ATTR_SYNC_POLICY ? -1
                       : id == ATTR_DOMAIN_MAP  ? 0x100 /* the default domain is 0, the remote one 1 */
                                                : 0;
    memcpy(value, &a.value, sizeof a.value);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaStreamCopyAttributes(void *to, void *from)
{
    ENTER();
    Stream       *a = stream_of(to);
    const Stream *b = stream_of(from);
    if (!a || !b)
        return LEAVE(stream_error(a ? from : to));
    free(a->attrs);
    a->attrs = b->attrs ? xcalloc(ATTRIBUTES, sizeof *a->attrs) : NULL;
    if (b->attrs)
        memcpy(a->attrs, b->attrs, ATTRIBUTES * sizeof *a->attrs);
    return LEAVE(cudaSuccess);
}
