/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: green contexts.  A device's multiprocessors are split into groups; a context of a group counts only
 * those where a cooperative launch must be resident at once.  How groups come out is what an H200
 * answers: multiples of 8 (of 2 when clusters do not matter), and of 8 alone no more than its graphics
 * clusters hold whole.
 * Not modelled: which multiprocessors they are, and the time that a smaller part takes. */
#include "cuda/driver/driver.h"
#include "cuda/runtime/properties.h"
#include "cuda/work/queue.h"
#include "cuda/work/work.h"

enum { TYPE_SM = 1, ALIGN = 8, ALIGN_ALONE = 2, IGNORE_COSCHEDULING = 1, DEFAULT_STREAM = 1, NON_BLOCKING = 1 };
enum { MULTIPROCESSORS = 16 }; /* the attribute */

typedef struct DevResource { /* CUdevResource of version 1 */
    int           type;
    unsigned char padding[92];
    union {
        struct {
            unsigned count, least, align;
        } sm;
        unsigned char bytes[48];
    };
} DevResource;
_Static_assert(sizeof(DevResource) == 144, "layout of CUdevResource");

static unsigned all_of(int device)
{
    int n = 0;
    device_attribute(MULTIPROCESSORS, device, &n);
    return (unsigned)n;
}

static DevResource some(unsigned count, bool whole)
{
    DevResource r = {.type = count ? TYPE_SM : 0};
    r.sm.count    = count;
    if (whole)
        r.sm.least = r.sm.align = ALIGN;
    return r;
}

static CuErr answer(DevResource *out, int type, void *context, int device)
{
    if (!out || type != TYPE_SM)
        return out ? cudaErrorInvalidResourceType : cudaErrorInvalidValue;
    unsigned n = context ? context_sms(context) : 0;
    *out       = some(n ? n : all_of(device), true);
    return cudaSuccess;
}

CuErr drv_cuDeviceGetDevResource(int device, DevResource *out, int type)
{
    ENTER();
    if (device < 0 || device >= state.count)
        return cudaErrorInvalidDevice;
    return answer(out, type, NULL, device);
}

CuErr drv_cuCtxGetDevResource(void *context, DevResource *out, int type)
{
    ENTER_CTX();
    return context_known(context) ? answer(out, type, context, ((const Context *)context)->device)
                                  : cudaErrorDeviceUninitialized;
}

CuErr drv_cuGreenCtxGetDevResource(void *green, DevResource *out, int type)
{
    return drv_cuCtxGetDevResource(green, out, type);
}

/* Eights of multiprocessors that are asked for one by one: of the whole card, those that its groups hold whole. */
static unsigned whole_eights(unsigned total)
{
    Limits   l = state_limits();
    unsigned n = 0;
    for (int i = 0; i < MOST_GROUPS; i++)
        n += l.group[i] / ALIGN;
    return total == l.card->sms && n ? n : total / ALIGN;
}

CuErr drv_cuDevSmResourceSplitByCount(DevResource *out, unsigned *n, const DevResource *in, DevResource *rest,
                                      unsigned flags, unsigned least)
{
    ENTER();
    if (!n || !in || (out && !*n))
        return cudaErrorInvalidValue;
    if (in->type != TYPE_SM)
        return cudaErrorInvalidResourceType;
    if (least > in->sm.count)
        return cudaErrorInvalidResourceConfiguration;
    unsigned align = flags & IGNORE_COSCHEDULING ? ALIGN_ALONE : ALIGN, size = (least + align - 1) / align * align;
    size          = size < align ? align : size > in->sm.count ? in->sm.count : size;
    unsigned most = size == ALIGN && align == ALIGN ? whole_eights(in->sm.count) : in->sm.count / size;
    unsigned made = out && *n < most ? *n : most;
    for (unsigned i = 0; out && i < made; i++)
        out[i] = some(size, false);
    if (rest)
        *rest = some(in->sm.count - made * size, false);
    *n = made;
    return cudaSuccess;
}

/* A descriptor is the number of multiprocessors; no descriptor stands for all. */
CuErr drv_cuDevResourceGenerateDesc(uintptr_t *out, const DevResource *list, unsigned n)
{
    ENTER();
    uintptr_t sum = 0;
    if (!out || !list || !n)
        return cudaErrorInvalidValue;
    for (unsigned i = 0; i < n; i++) {
        if (list[i].type != TYPE_SM)
            return cudaErrorInvalidResourceType;
        sum += list[i].sm.count;
    }
    if (sum > all_of(0))
        return cudaErrorInvalidResourceConfiguration;
    *out = sum;
    return cudaSuccess;
}

CuErr drv_cuGreenCtxCreate(void **out, uintptr_t desc, int device, unsigned flags)
{
    ENTER();
    CuErr e;
    if (!out || flags != DEFAULT_STREAM)
        return cudaErrorInvalidValue;
    if (!state_device(device, &e))
        return e;
    *out = context_new(device, 0, desc ? (unsigned)desc : all_of(device));
    return cudaSuccess;
}

CuErr drv_cuCtxDestroy_v2(void *context);
CuErr drv_cuCtxGetId(void *context, unsigned long long *id);

CuErr drv_cuGreenCtxDestroy(void *green)
{
    return green ? drv_cuCtxDestroy_v2(green) : cudaErrorDeviceUninitialized;
}

CuErr drv_cuGreenCtxGetId(void *green, unsigned long long *id)
{
    return green ? drv_cuCtxGetId(green, id) : cudaErrorDeviceUninitialized;
}

CuErr drv_cuCtxFromGreenCtx(void **out, void *green)
{
    ENTER();
    if (!out || !context_sms(green))
        return out ? cudaErrorDeviceUninitialized : cudaErrorInvalidValue;
    *out = green;
    return cudaSuccess;
}

/* ---- streams and events ---- */

CuErr rt_cudaStreamCreateWithPriority(void **out, unsigned flags, int priority);

CuErr drv_cuGreenCtxStreamCreate(void **out, void *green, unsigned flags, int priority)
{
    ENTER();
    state_in_driver = true;
    if (!green || !context_sms(green))
        return cudaErrorDeviceUninitialized;
    if (!out || flags != NON_BLOCKING)
        return cudaErrorInvalidValue;
    CuErr e = rt_cudaStreamCreateWithPriority(out, flags, priority);
    if (e == cudaSuccess)
        ((Stream *)*out)->green = green;
    return e;
}

/* The default stream is of the context that is current. */
CuErr drv_cuStreamGetGreenCtx(void *stream, void **out)
{
    ENTER_CTX();
    const Stream *s = stream_of(stream);
    if (!s || !out)
        return s ? cudaErrorInvalidValue : stream_error(stream);
    void *now = context_now();
    *out      = !s->implicit ? s->green : context_sms(now) ? now : NULL;
    return cudaSuccess;
}

CuErr drv_cuGreenCtxRecordEvent(void *green, void *event)
{
    ENTER();
    if (!context_known(green) || !event_of(event))
        return event_of(event) ? cudaErrorDeviceUninitialized : cudaErrorInvalidResourceHandle;
    queue_settle_device(((const Context *)green)->device);
    return event_record(event, NULL);
}

CuErr drv_cuGreenCtxWaitEvent(void *green, void *event)
{
    ENTER();
    const Event *v = event_of(event);
    if (!context_known(green) || !v)
        return v ? cudaErrorDeviceUninitialized : cudaErrorInvalidResourceHandle;
    queue_settle_event(v);
    return state_sticky();
}
