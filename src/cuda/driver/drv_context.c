/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: contexts.
 * The contexts themselves and each thread's stack of them are in context.c. */
#include "cuda/driver/driver.h"
#include "cuda/image/image.h"
#include "cuda/memory/devmem.h"
#include "cuda/runtime/properties.h"
#include "cuda/work/queue.h"
#include "cuda/work/work.h"

enum {
    VALID_FLAGS = 0xff,
    MAP_HOST    = 8,
    DUMPS       = 0x60
}; /* of contexts; host memory can be mapped, always; no core is dumped */

static CuErr check_flags(unsigned flags)
{
    return flags & ~(unsigned)VALID_FLAGS ? cudaErrorInvalidValue
           : flags & DUMPS                ? state_missing("core dumps")
                                          : cudaSuccess;
}

static CuErr context_create(Context **out, unsigned flags, int device)
{
    CuErr e = check_flags(flags);
    e       = e == cudaSuccess ? context_check_device(out, device) : e;
    if (e != cudaSuccess || !state_device(device, &e))
        return e;
    Context *c = context_new(device, flags, 0);
    if (context_push(c))
        *out = c;
    return cudaSuccess;
}

CuErr drv_cuCtxCreate_v2(Context **out, unsigned flags, int device)
{
    ENTER();
    return context_create(out, flags, device);
}

/* A context of a part of the multiprocessors needs MPS. */
CuErr drv_cuCtxCreate_v3(Context **out, const void *affinity, int n, unsigned flags, int device)
{
    (void)affinity;
    ENTER();
    return n ? cudaErrorUnsupportedExecAffinity : context_create(out, flags, device);
}

typedef struct ContextParams { /* CUctxCreateParams */
    const void *affinity;
    int         naffinity;
    const void *graphics;
} ContextParams;

CuErr drv_cuCtxCreate_v4(Context **out, const ContextParams *p, unsigned flags, int device)
{
    ENTER();
    if (p && p->graphics)
        return state_missing("cuCtxCreate_v4 with CUDA in graphics");
    return drv_cuCtxCreate_v3(out, p ? p->affinity : NULL, p ? p->naffinity : 0, flags, device);
}

/* Its memory is freed, its streams, events and modules are none any more.  One that is current in another thread, or lower on the stack, is
 * named again: its handle must not be another's. */
CuErr drv_cuCtxDestroy_v2(Context *c)
{
    ENTER_ANYWAY();
    if (!context_known(c))
        return context_ended(c) && c != context_now() ? cudaErrorContextIsDestroyed
               : c                                    ? cudaErrorDeviceUninitialized
                                                      : cudaErrorInvalidValue;
    queue_settle_device(c->device);
    devmem_drop_context(c);
    image_end_context(c);
    c->destroyed = true;
    context_drop(c);
    return cudaSuccess;
}

CuErr drv_cuCtxGetCurrent(Context **out)
{
    ENTER_ANYWAY();
    CuErr e = context_started();
    if (e != cudaSuccess || !out)
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    *out = context_now();
    return cudaSuccess;
}

CuErr drv_cuCtxPushCurrent_v2(Context *c)
{
    ENTER_ANYWAY();
    if ((!context_known(c) && !context_ended(c)) || !context_push(c))
        return c ? cudaErrorDeviceUninitialized : cudaErrorInvalidValue;
    return cudaSuccess;
}

CuErr drv_cuCtxPopCurrent_v2(Context **out)
{
    ENTER_ANYWAY();
    Context *was = context_pop();
    if (was && out)
        *out = was;
    return was ? cudaSuccess : cudaErrorDeviceUninitialized;
}

CuErr drv_cuCtxSetCurrent(Context *c)
{
    ENTER_ANYWAY();
    CuErr e = context_started();
    if (e != cudaSuccess || (c && !context_known(c) && !context_ended(c)))
        return e != cudaSuccess ? e : cudaErrorDeviceUninitialized;
    context_replace(c);
    return cudaSuccess;
}

CuErr drv_cuCtxGetDevice(int *device)
{
    ENTER_CTX();
    if (device)
        *device = context_now()->device;
    return device ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuCtxGetFlags(unsigned *flags)
{
    ENTER_CTX();
    if (flags)
        *flags = context_now()->flags | (context_now()->users ? MAP_HOST : 0);
    return flags ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuCtxGetApiVersion(Context *c, unsigned *version)
{
    if (!version)
        return cudaErrorInvalidValue;
    *version = 3020;
    return !c || context_known(c) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

CuErr drv_cuCtxSynchronize(void)
{
    ENTER_CTX();
    queue_settle_device(context_now()->device);
    return state_sticky();
}

/* CUDA 13 gave these two a context; NULL means the current one.  Callers that take the highest version of a name without knowing it (numba
 * does) pass what stands in the register: what is not a context means the current one too. */
CuErr drv_cuCtxGetDevice_v2(int *device, Context *c)
{
    if (!c || !context_known(c))
        return drv_cuCtxGetDevice(device);
    if (!device)
        return cudaErrorInvalidValue;
    *device = c->device;
    return cudaSuccess;
}

CuErr drv_cuCtxSynchronize_v2(Context *c)
{
    if (!c || !context_known(c))
        return drv_cuCtxSynchronize();
    ENTER();
    queue_settle_device(c->device);
    return state_sticky();
}

CuErr drv_cuDevicePrimaryCtxRetain(Context **out, int device)
{
    ENTER();
    CuErr e = context_check_device(out, device);
    if (e == cudaSuccess && state_device(device, &e))
        *out = context_retain(device);
    return e;
}

CuErr drv_cuDevicePrimaryCtxRelease_v2(int device)
{
    ENTER_ANYWAY();
    CuErr e = context_check_device(context_primary(0), device);
    if (e != cudaSuccess || !context_primary(device)->users)
        return e != cudaSuccess ? e : cudaErrorDeviceUninitialized;
    context_primary(device)->users--;
    return cudaSuccess;
}

CuErr drv_cuDevicePrimaryCtxReset_v2(int device)
{
    ENTER_ANYWAY();
    CuErr e = context_check_device(context_primary(0), device);
    if (e == cudaSuccess && state.device[device]) {
        queue_settle_device(device);
        devmem_drop_device(device);
    }
    return e;
}

CuErr drv_cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    CuErr e = context_check_device(flags && active ? flags : NULL, device);
    if (e == cudaSuccess) {
        *flags  = context_primary(device)->flags;
        *active = context_primary(device)->users > 0;
    }
    return e;
}

CuErr drv_cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    CuErr e = check_flags(flags);
    e       = e == cudaSuccess ? context_check_device(context_primary(0), device) : e;
    if (e == cudaSuccess)
        context_primary(device)->flags = flags;
    return e;
}

/* ---- of a context given or current ---- */

static Context *given(Context *c)
{
    return !c ? context_now() : context_known(c) ? c : NULL;
}

CuErr drv_cuCtxGetId(Context *c, unsigned long long *id)
{
    ENTER();
    c = given(c);
    if (!c || !id)
        return c ? cudaErrorInvalidValue : cudaErrorDeviceUninitialized;
    *id = (unsigned long long)(uintptr_t)
        c; /* unique while the process lives, as handles are not reused for primary contexts */
    return cudaSuccess;
}

CuErr drv_cuCtxSetFlags(unsigned flags)
{
    ENTER_CTX();
    CuErr e = check_flags(flags);
    if (e == cudaSuccess)
        context_now()->flags = flags;
    return e;
}

CuErr rt_cudaDeviceEnablePeerAccess(int other, unsigned flags);
CuErr rt_cudaDeviceDisablePeerAccess(int other);

CuErr drv_cuCtxEnablePeerAccess(Context *c, unsigned flags)
{
    ENTER_CTX();
    return context_known(c) ? rt_cudaDeviceEnablePeerAccess(c->device, flags) : cudaErrorDeviceUninitialized;
}

CuErr drv_cuCtxDisablePeerAccess(Context *c)
{
    ENTER_CTX();
    return context_known(c) ? rt_cudaDeviceDisablePeerAccess(c->device) : cudaErrorDeviceUninitialized;
}

/* ---- streams of a context ---- */

CuErr drv_cuStreamGetCtx(void *stream, void **out)
{
    ENTER_CTX();
    const Stream *s = stream_of(stream);
    if (!s || !out)
        return s ? cudaErrorInvalidValue : stream_error(stream);
    if (s->green)
        return cudaErrorInvalidResourceHandle; /* cuStreamGetCtx_v2 answers for those */
    *out = s->implicit || s->device == context_now()->device ? context_now() : context_primary(s->device);
    return cudaSuccess;
}

CuErr drv_cuStreamGetCtx_v2(void *stream, void **out, void **green)
{
    ENTER_CTX();
    const Stream *s = stream_of(stream);
    void         *g = !s ? NULL : !s->implicit ? s->green : context_sms(context_now()) ? context_now() : NULL;
    if (!s || !out || !green)
        return s ? cudaErrorInvalidValue : stream_error(stream);
    *green = g;
    *out   = NULL; /* of a green context's stream */
    return g ? cudaSuccess : drv_cuStreamGetCtx(stream, out);
}

/* The event marks what every stream of the device has been given so far. */
CuErr drv_cuCtxRecordEvent(Context *c, void *event)
{
    ENTER_CTX();
    c = given(c);
    if (!c)
        return cudaErrorDeviceUninitialized;
    queue_settle_device(c->device);
    return event_record(event, NULL);
}

CuErr drv_cuCtxWaitEvent(Context *c, void *event)
{
    ENTER_CTX();
    c              = given(c);
    const Event *v = event_of(event);
    if (!c || !v)
        return c ? event_error(event) : cudaErrorDeviceUninitialized;
    queue_settle_event(v);
    return state_sticky();
}

/* ---- its part of the hardware ---- */

typedef struct ExecAffinity { /* CUexecAffinityParam */
    int type, multiprocessors;
} ExecAffinity;

CuErr drv_cuCtxGetExecAffinity(ExecAffinity *out, int type)
{
    enum { SM_COUNT = 0, MULTIPROCESSORS = 16 /* the attribute */ };
    ENTER_CTX();
    if (!out || type != SM_COUNT)
        return out ? cudaErrorUnsupportedExecAffinity : cudaErrorInvalidValue;
    out->type = SM_COUNT; /* no context has fewer than all */
    device_attribute(MULTIPROCESSORS, context_now()->device, &out->multiprocessors);
    return cudaSuccess;
}
