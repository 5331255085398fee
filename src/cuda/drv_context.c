/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: contexts.
 * A context is a handle that names a device; every context of a device sees the same memory, as the runtime's primary one does.
 * Each thread has a stack of current contexts; the runtime's current device follows it, and a thread that has used the runtime finds the
 * primary context on it.  A destroyed context stays where it is current, and says so. */
#include "base/arena.h"
#include "cuda/api.h"
#include "cuda/device.h"
#include "cuda/devmem.h"
#include "cuda/driver.h"
#include "cuda/queue.h"

enum { STACK = 32 };

typedef struct Context {
    int             device;
    unsigned        flags;
    unsigned        users; /* of a primary context: calls of Retain, and 1 for the runtime */
    unsigned        sms;   /* of a green context */
    bool            runtime, destroyed;
    struct Context *next;
} Context;

enum {
    VALID_FLAGS = 0xff,
    MAP_HOST    = 8,
    DUMPS       = 0x60
}; /* of contexts; host memory can be mapped, always; no core is dumped */

static Context                primary[MAX_DEVICES];
static Context               *contexts;
static _Thread_local Context *stack[STACK];
static _Thread_local int      top;

static Context *retain(int device)
{
    primary[device].device = device;
    primary[device].users++;
    return &primary[device];
}

/* The thread's context, or NULL. */
static Context *now(void)
{
    if (!top && state_runtime_context) {
        int device = state_current();
        if (!primary[device].runtime)
            retain(device)->runtime = true;
        stack[top++] = &primary[device];
    }
    return top ? stack[top - 1] : NULL;
}

CuErr driver_ready(void)
{
    CuErr e = driver_started();
    if (e != cudaSuccess)
        return e;
    const Context *c = now();
    return !c ? cudaErrorDeviceUninitialized : c->destroyed ? cudaErrorContextIsDestroyed : cudaSuccess;
}

void driver_set_device(int device)
{
    if (top)
        top--;
    state_runtime_context = true;
    state_set_current(device);
    now();
}

void driver_reset_device(int device)
{
    primary[device].users -= primary[device].runtime;
    primary[device].runtime = false;
    if (top == 1 && stack[0] == &primary[device])
        top = 0;
    state_runtime_context = false;
}

void *driver_primary(int device)
{
    return &primary[device];
}

static void follow(void)
{
    if (top)
        state_set_current(stack[top - 1]->device);
}

static bool known(const Context *c)
{
    for (int i = 0; i < MAX_DEVICES; i++)
        if (c == &primary[i])
            return true;
    for (const Context *k = contexts; k; k = k->next)
        if (k == c)
            return !k->destroyed;
    return false;
}

static CuErr check_flags(unsigned flags)
{
    return flags & ~(unsigned)VALID_FLAGS ? cudaErrorInvalidValue
           : flags & DUMPS                ? state_missing("core dumps")
                                          : cudaSuccess;
}

static CuErr context_create(Context **out, unsigned flags, int device)
{
    CuErr e = check_flags(flags);
    e       = e == cudaSuccess ? driver_check_device(out, device) : e;
    if (e != cudaSuccess || top == STACK || !state_device(device, &e))
        return e;
    now();
    Context *c   = xcalloc(1, sizeof *c);
    *c           = (Context){.device = device, .flags = flags, .next = contexts};
    contexts     = c;
    stack[top++] = c;
    follow();
    *out = c;
    return cudaSuccess;
}

void *driver_context_new(int device, unsigned sms)
{
    Context *c = xcalloc(1, sizeof *c);
    *c         = (Context){.device = device, .sms = sms, .next = contexts};
    contexts   = c;
    return c;
}

bool driver_context_known(const void *context)
{
    return context && known(context);
}

int driver_context_device(const void *context)
{
    return ((const Context *)context)->device;
}

unsigned driver_context_sms(const void *context)
{
    return driver_context_known(context) ? ((const Context *)context)->sms : 0;
}

void *driver_context_current(void)
{
    return now();
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

/* One that is current in another thread, or lower on the stack, is named again: its handle must not be another's. */
CuErr drv_cuCtxDestroy_v2(Context *c)
{
    ENTER_ANYWAY();
    if (!known(c))
        return c ? cudaErrorDeviceUninitialized : cudaErrorInvalidValue;
    queue_settle_device(c->device);
    c->destroyed = true;
    if (top && stack[top - 1] == c)
        top--;
    follow();
    return cudaSuccess;
}

CuErr drv_cuCtxGetCurrent(Context **out)
{
    ENTER_ANYWAY();
    CuErr e = driver_started();
    if (e != cudaSuccess || !out)
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    *out = now();
    return cudaSuccess;
}

CuErr drv_cuCtxPushCurrent_v2(Context *c)
{
    ENTER_ANYWAY();
    now();
    if (!known(c) || top == STACK)
        return c ? cudaErrorDeviceUninitialized : cudaErrorInvalidValue;
    stack[top++] = c;
    follow();
    return cudaSuccess;
}

CuErr drv_cuCtxPopCurrent_v2(Context **out)
{
    ENTER_ANYWAY();
    if (!now())
        return cudaErrorDeviceUninitialized;
    state_runtime_context = false; /* what the runtime made current is off the stack */
    top--;
    if (out)
        *out = stack[top];
    follow();
    return cudaSuccess;
}

CuErr drv_cuCtxSetCurrent(Context *c)
{
    ENTER_ANYWAY();
    CuErr e = driver_started();
    if (e != cudaSuccess || (c && !known(c)))
        return e != cudaSuccess ? e : cudaErrorDeviceUninitialized;
    state_runtime_context = false;
    top -= top > 0;
    if (c)
        stack[top++] = c;
    follow();
    return cudaSuccess;
}

CuErr drv_cuCtxGetDevice(int *device)
{
    ENTER_CTX();
    if (device)
        *device = stack[top - 1]->device;
    return device ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuCtxGetFlags(unsigned *flags)
{
    ENTER_CTX();
    if (flags)
        *flags = stack[top - 1]->flags | (stack[top - 1]->users ? MAP_HOST : 0);
    return flags ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuCtxGetApiVersion(Context *c, unsigned *version)
{
    *version = 3020;
    return !c || known(c) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

CuErr drv_cuCtxSynchronize(void)
{
    ENTER_CTX();
    queue_settle_device(stack[top - 1]->device);
    return state_sticky();
}

/* CUDA 13 gave these two a context; NULL means the current one.  Callers that take the highest version of a name without knowing it (numba
 * does) pass what stands in the register: what is no context means the current one too. */
CuErr drv_cuCtxGetDevice_v2(int *device, Context *c)
{
    if (!c || !known(c))
        return drv_cuCtxGetDevice(device);
    *device = c->device;
    return cudaSuccess;
}

CuErr drv_cuCtxSynchronize_v2(Context *c)
{
    if (!c || !known(c))
        return drv_cuCtxSynchronize();
    ENTER();
    queue_settle_device(c->device);
    return state_sticky();
}

CuErr drv_cuDevicePrimaryCtxRetain(Context **out, int device)
{
    ENTER();
    CuErr e = driver_check_device(out, device);
    if (e == cudaSuccess && state_device(device, &e))
        *out = retain(device);
    return e;
}

CuErr drv_cuDevicePrimaryCtxRelease_v2(int device)
{
    ENTER_ANYWAY();
    CuErr e = driver_check_device(primary, device);
    if (e != cudaSuccess || !primary[device].users)
        return e != cudaSuccess ? e : cudaErrorDeviceUninitialized;
    primary[device].users--;
    return cudaSuccess;
}

CuErr drv_cuDevicePrimaryCtxReset_v2(int device)
{
    ENTER_ANYWAY();
    CuErr e = driver_check_device(primary, device);
    if (e == cudaSuccess && state.device[device]) {
        queue_settle_device(device);
        devmem_drop_device(device);
    }
    return e;
}

CuErr drv_cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    CuErr e = driver_check_device(flags && active ? flags : NULL, device);
    if (e == cudaSuccess) {
        *flags  = primary[device].flags;
        *active = primary[device].users > 0;
    }
    return e;
}

CuErr drv_cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    CuErr e = check_flags(flags);
    e       = e == cudaSuccess ? driver_check_device(primary, device) : e;
    if (e == cudaSuccess)
        primary[device].flags = flags;
    return e;
}

/* ---- of a context given or current ---- */

static Context *given(Context *c)
{
    return !c ? now() : known(c) ? c : NULL;
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
        stack[top - 1]->flags = flags;
    return e;
}

CuErr rt_cudaDeviceEnablePeerAccess(int other, unsigned flags);
CuErr rt_cudaDeviceDisablePeerAccess(int other);

CuErr drv_cuCtxEnablePeerAccess(Context *c, unsigned flags)
{
    ENTER_CTX();
    return known(c) ? rt_cudaDeviceEnablePeerAccess(c->device, flags) : cudaErrorDeviceUninitialized;
}

CuErr drv_cuCtxDisablePeerAccess(Context *c)
{
    ENTER_CTX();
    return known(c) ? rt_cudaDeviceDisablePeerAccess(c->device) : cudaErrorDeviceUninitialized;
}

/* ---- streams of a context ---- */

CuErr drv_cuStreamGetCtx(void *stream, void **out)
{
    ENTER_CTX();
    const Stream *s = stream_of(stream);
    if (!s || !out)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    if (s->green)
        return cudaErrorInvalidResourceHandle; /* cuStreamGetCtx_v2 answers for those */
    *out = s->implicit || s->device == stack[top - 1]->device ? stack[top - 1] : driver_primary(s->device);
    return cudaSuccess;
}

CuErr drv_cuStreamGetCtx_v2(void *stream, void **out, void **green)
{
    ENTER_CTX();
    const Stream *s = stream_of(stream);
    void         *g = !s ? NULL : !s->implicit ? s->green : driver_context_sms(now()) ? now() : NULL;
    if (!s || !out || !green)
        return s ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
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
    return event_record(event_of(event), NULL);
}

CuErr drv_cuCtxWaitEvent(Context *c, void *event)
{
    ENTER_CTX();
    c              = given(c);
    const Event *v = event_of(event);
    if (!c || !v)
        return c ? cudaErrorInvalidResourceHandle : cudaErrorDeviceUninitialized;
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
    device_attribute(MULTIPROCESSORS, stack[top - 1]->device, &out->multiprocessors);
    return cudaSuccess;
}
