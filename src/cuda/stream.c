/* SPDX-License-Identifier: Apache-2.0
 *
 * Streams as objects, and work in streams.  Work is done in the call when nothing stands before it, else it goes to the stream's queue
 * (queue.h).  Host functions always go there: they may wait for what the program does after the call.
 * Each device has a default stream, each thread one of its own (cudaStreamPerThread). */
#include "cuda/stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/launch.h"
#include "cuda/queue.h"
#include "cuda/sequence.h"

enum { STREAM_MAGIC = 0x7374726d, NON_BLOCKING = 1 };

static Stream  *legacy[MAX_DEVICES];
static Stream **streams; /* all, the implicit ones too */
static size_t   nstreams;
static uint64_t ids = 2;

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
        (*which)->legacy   = id == 1;
    }
    return *which;
}

Stream *stream_of(void *handle)
{
    if (!handle && state_per_thread)
        handle = (void *)2;
    if (!handle || handle == (void *)1)
        return implicit(&legacy[state_current()], 1);
    if (handle == (void *)2)
        return implicit(&per_thread, 2);
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] == handle && !streams[i]->implicit && !streams[i]->dying)
            return streams[i];
    return NULL;
}

Stream *stream_spare(int device)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i]->spare && streams[i]->device == device && streams[i]->queued == streams[i]->done)
            return streams[i];
    Stream *s = add_stream(++ids, device);
    s->spare  = true;
    s->flags  = NON_BLOCKING;
    return s;
}

/* ---- work ---- */

CuErr stream_settle(void *handle)
{
    Stream *s = stream_of(handle);
    CuErr   e = s ? capture_check(s) : cudaErrorInvalidResourceHandle;
    if (e != cudaSuccess)
        return e;
    queue_settle(s);
    return state_sticky();
}

/* Runs a kernel as far as it comes; what is left goes to the queue. */
static CuErr begin_kernel(Stream *s, Kernel *k, const LaunchAsk *ask, bool early)
{
    Running         *r;
    WorkOrder       *o   = sequence_submit_kernel(s, ask->programmatic);
    const WorkOrder *was = sequence_enter(o);
    CuErr            e   = early ? launch_start_early(k, ask, &r) : launch_start(k, ask, &r);
    sequence_enter(was);
    queue_let_go();
    if (!r) {
        sequence_free(o);
        return e;
    }
    GraphNode *n = queue_add_work(s, NODE_KERNEL, NULL, o);
    n->kernel    = k;
    n->running   = r;
    if (early && launch_leaves_early(k))
        queue_hold(n);
    return e;
}

static CuErr run_kernel(Stream *s, Kernel *k, const LaunchAsk *ask)
{
    bool holds = launch_leaves_early(k);
    if (ask->programmatic && queue_held(s))
        return begin_kernel(s, k, ask, true);
    if (!queue_busy(s) && !holds)
        return begin_kernel(s, k, ask, false);
    CuErr e = launch_check(k, ask);
    if (e != cudaSuccess)
        return e;
    GraphNode *n = queue_add_work(s, NODE_KERNEL, NULL, sequence_submit_kernel(s, ask->programmatic));
    e            = node_set_kernel(n, k, ask);
    if (holds)
        queue_hold(n);
    return e;
}

CuErr stream_launch(void *handle, Kernel *k, const LaunchAsk *ask)
{
    Stream *s   = stream_of(handle);
    Event  *v   = event_of(ask->event);
    CuErr   bad = s && (v || !ask->event) ? capture_check(s) : cudaErrorInvalidResourceHandle;
    if (bad != cudaSuccess)
        return bad;
    CuErr e = s->capture ? cgraph_capture_kernel(handle, k, ask) : run_kernel(s, k, ask);
    return e == cudaSuccess && v ? event_record(v, handle) : e;
}

/* Memory that the program may change or read right after the call. */
static bool pageable(const void *p)
{
    return !devmem_range((uint64_t)(uintptr_t)p) && !devmem_is_device(p);
}

/* A copy that waits: from pageable memory it takes the bytes now. */
static void enqueue_copy(Stream *s, NodeCopy c)
{
    if (pageable(c.src)) {
        char  *owned = xmalloc(c.width * c.height * c.depth + 1);
        size_t row   = 0;
        for (size_t z = 0; z < c.depth; z++)
            for (size_t y = 0; y < c.height; y++, row++)
                memcpy(owned + row * c.width, (const char *)c.src + z * c.sslice + y * c.spitch, c.width);
        c.src = c.owned = owned;
        c.spitch        = c.width;
        c.sslice        = c.width * c.height;
        c.kind          = c.kind == COPY_DEFAULT ? COPY_HOST_TO_DEVICE : c.kind;
    }
    queue_add(s, NODE_COPY, NULL)->copy = c;
}

CuErr stream_copy_node(const NodeCopy *c, void *stream)
{
    Stream *s   = stream_of(stream);
    CuErr   bad = s ? capture_check(s) : cudaErrorInvalidResourceHandle;
    if (bad != cudaSuccess)
        return bad;
    if (s->capture)
        return cgraph_capture_copy(stream, c);
    if (!c->width || !c->height || !c->depth)
        return cudaSuccess;
    if (queue_busy(s) && pageable(c->dst))
        queue_settle(s); /* such a copy returns when it is done */
    if (!queue_busy(s)) {
        WorkOrder       *o   = sequence_submit(s);
        const WorkOrder *was = sequence_enter(o);
        CuErr            e   = devmem_copy_3d(c);
        sequence_enter(was);
        sequence_free(o);
        if (pageable(c->dst))
            sequence_host_stream(s);
        return e;
    }
    CuErr e = devmem_check_copy(c->dst, c->dslice * (c->depth - 1) + c->dpitch * (c->height - 1) + c->width, c->src,
                                c->sslice * (c->depth - 1) + c->spitch * (c->height - 1) + c->width, c->kind);
    if (e == cudaSuccess)
        enqueue_copy(s, *c);
    return e;
}

CuErr stream_copy(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind,
                  void *stream)
{
    NodeCopy c = {.dst    = dst,
                  .src    = src,
                  .dpitch = dpitch,
                  .spitch = spitch,
                  .width  = width,
                  .height = height,
                  .depth  = 1,
                  .kind   = kind};
    return stream_copy_node(&c, stream);
}

CuErr stream_copy_array(const CopyEnd *dst, const CopyEnd *src, size_t width, size_t height, size_t depth, int kind,
                        void *stream)
{
    NodeCopy c;
    CuErr    e = array_copy_node(dst, src, width, height, depth, kind, &c);
    return e == cudaSuccess ? stream_copy_node(&c, stream) : e;
}

CuErr stream_set(void *dst, size_t pitch, unsigned value, unsigned element, size_t width, size_t height, void *stream)
{
    Stream *s    = stream_of(stream);
    NodeSet node = {dst, pitch, value, element, width, height};
    CuErr   bad  = s ? capture_check(s) : cudaErrorInvalidResourceHandle;
    if (bad != cudaSuccess)
        return bad;
    if (s->capture)
        return cgraph_capture_set(stream, &node);
    if (!queue_busy(s)) {
        WorkOrder       *o   = sequence_submit(s);
        const WorkOrder *was = sequence_enter(o);
        CuErr            e   = devmem_set_2d(dst, pitch, value, element, width, height);
        sequence_enter(was);
        sequence_free(o);
        return e;
    }
    queue_add(s, NODE_SET, NULL)->set = node;
    return cudaSuccess;
}

CuErr stream_host(void *stream, void (*fn)(void *), void *user)
{
    Stream *s = stream_of(stream);
    if (!s || !fn)
        return fn ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    CuErr bad = capture_check(s);
    if (bad != cudaSuccess)
        return bad;
    if (s->capture)
        return cgraph_capture_host(stream, (NodeHost){fn, user});
    queue_add(s, NODE_HOST, NULL)->host = (NodeHost){fn, user};
    return cudaSuccess;
}

CuErr stream_value(void *stream, NodeKind kind, NodeValue v)
{
    Stream *s   = stream_of(stream);
    CuErr   bad = s ? capture_check(s) : cudaErrorInvalidResourceHandle;
    if (bad != cudaSuccess)
        return bad;
    if (s->capture)
        return cudaErrorStreamCaptureUnsupported;
    GraphNode n = {.kind = kind, .value = v};
    if (kind == NODE_WAIT_VALUE)
        sequence_wait_all(s);
    if (!queue_busy(s) && kind == NODE_WRITE_VALUE)
        return cgraph_run_node(&n);
    if (!queue_busy(s) && node_value_reached(&n))
        return cudaSuccess;
    queue_add(s, kind, NULL)->value = v;
    return cudaSuccess;
}

void stream_leave_capture(Capture *c)
{
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i]->capture == c)
            streams[i]->capture = NULL;
    events_leave_capture(c);
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
    Stream *s   = add_stream(++ids, state_current());
    s->flags    = flags;
    s->priority = priority > 0 ? 0 : priority < -5 ? -5 : priority;
    *out        = s;
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

/* A stream with work stays until that is done; events may name it even then, so its memory stays. */
CuErr rt_cudaStreamDestroy(void *stream)
{
    ENTER();
    Stream *s = stream_of(stream);
    if (!s || s->implicit)
        return LEAVE(cudaErrorInvalidResourceHandle);
    if (s->queued) {
        s->dying = true;
        return LEAVE(cudaSuccess);
    }
    for (size_t i = 0; i < nstreams; i++)
        if (streams[i] == s)
            streams[i] = streams[--nstreams];
    free(s->tail);
    free(s->know.count);
    free(s->branch);
    free(s);
    return LEAVE(cudaSuccess);
}

/* Synchronising in a stream that captures is the driver's error. */
static CuErr usable(const Stream *s)
{
    return !s           ? cudaErrorInvalidResourceHandle
           : s->capture ? capture_broken(s, cudaErrorStreamCaptureUnsupported)
                        : capture_check(s);
}

CuErr rt_cudaStreamSynchronize(void *stream)
{
    ENTER();
    Stream *s = stream_of(stream);
    CuErr   e = usable(s);
    return LEAVE(e == cudaSuccess ? stream_settle(stream) : e);
}

CuErr rt_cudaStreamQuery(void *stream)
{
    ENTER();
    Stream *s = stream_of(stream);
    CuErr   e = usable(s);
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
    return LEAVE(!s ? cudaErrorInvalidResourceHandle : flags ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaStreamGetPriority(void *stream, int *priority)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && priority)
        *priority = s->priority;
    return LEAVE(!s ? cudaErrorInvalidResourceHandle : priority ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaStreamGetId(void *stream, unsigned long long *id)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && id)
        *id = s->id;
    return LEAVE(!s ? cudaErrorInvalidResourceHandle : id ? cudaSuccess : cudaErrorInvalidValue);
}

CuErr rt_cudaStreamGetDevice(void *stream, int *device)
{
    ENTER();
    const Stream *s = stream_of(stream);
    if (s && device)
        *device = s->implicit ? state_current() : s->device;
    return LEAVE(!s ? cudaErrorInvalidResourceHandle : device ? cudaSuccess : cudaErrorInvalidValue);
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
              (flags == 1 || flags == 2 || flags == 4);
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
        return LEAVE(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
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
        return LEAVE(s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
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
        return LEAVE(cudaErrorInvalidResourceHandle);
    free(a->attrs);
    a->attrs = b->attrs ? xcalloc(ATTRIBUTES, sizeof *a->attrs) : NULL;
    if (b->attrs)
        memcpy(a->attrs, b->attrs, ATTRIBUTES * sizeof *a->attrs);
    return LEAVE(cudaSuccess);
}
