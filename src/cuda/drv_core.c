/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: initialisation, devices, contexts.
 * A context is a handle that names a device; every context of a device sees the same memory, as the runtime's primary one does.
 * Each thread has a stack of current contexts; the runtime's current device follows it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/api.h"
#include "cuda/device.h"
#include "cuda/devmem.h"
#include "cuda/driver.h"
#include "cuda/queue.h"

enum { STACK = 32, API_VERSION = 13000 };

typedef struct Context {
    int             device;
    unsigned        flags;
    bool            primary, retained;
    struct Context *next;
} Context;

static Context                primary[MAX_DEVICES];
static Context               *contexts;
static bool                   initialised;
static _Thread_local Context *stack[STACK];
static _Thread_local int      top;

CuErr driver_ready(void)
{
    return !initialised ? cudaErrorInitializationError : top ? cudaSuccess : cudaErrorDeviceUninitialized;
}

void *driver_primary(int device)
{
    return &primary[device];
}

CuErr drv_cuInit(unsigned flags)
{
    ENTER_ANYWAY();
    initialised = true;
    return flags ? cudaErrorInvalidValue : cudaSuccess;
}

CuErr drv_cuDriverGetVersion(int *version)
{
    *version = API_VERSION;
    return cudaSuccess;
}

CuErr drv_cuGetErrorName(int code, const char **out)
{
    *out = error_name(code, true);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuGetErrorString(int code, const char **out)
{
    *out = error_text(code);
    return *out ? cudaSuccess : cudaErrorInvalidValue;
}

CuErr drv_cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found)
{
    (void)version, (void)flags;
    static const char *const suffix[] = {"_v4", "_v3", "_v2", ""};
    *out                              = NULL;
    for (size_t s = 0; s < 4 && !*out; s++) {
        char full[256];
        snprintf(full, sizeof full, "%s%s", name, suffix[s]);
        for (const ApiEntry *e = ww_cuda_driver(); e->name && !*out; e++)
            if (!strcmp(e->name, full))
                *out = *(void *const *)(const void *)&e->fn;
    }
    if (found)
        *found = *out ? 0 : 1;
    return *out ? cudaSuccess : cudaErrorSymbolNotFound;
}

CuErr drv_cuGetProcAddress(const char *name, void **out, int version, uint64_t flags)
{
    return drv_cuGetProcAddress_v2(name, out, version, flags, NULL);
}

/* ---- devices ---- */

static CuErr check_device(int device)
{
    return !initialised                          ? cudaErrorInitializationError
           : device < 0 || device >= state.count ? cudaErrorInvalidDevice
                                                 : cudaSuccess;
}

CuErr drv_cuDeviceGetCount(int *count)
{
    *count = state.count;
    return initialised ? cudaSuccess : cudaErrorInitializationError;
}

CuErr drv_cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return check_device(ordinal);
}

CuErr drv_cuDeviceGetName(char *out, int cap, int device)
{
    CuErr e = check_device(device);
    if (e == cudaSuccess && cap > 0)
        device_title(device, out, (size_t)cap);
    return e;
}

CuErr drv_cuDeviceGetUuid_v2(unsigned char *out, int device)
{
    CuErr e = check_device(device);
    if (e == cudaSuccess)
        device_uuid(device, out);
    return e;
}

CuErr drv_cuDeviceGetUuid(unsigned char *out, int device)
{
    return drv_cuDeviceGetUuid_v2(out, device);
}

CuErr drv_cuDeviceTotalMem_v2(size_t *bytes, int device)
{
    *bytes = device_memory();
    return check_device(device);
}

CuErr drv_cuDeviceGetAttribute(int *value, int attribute, int device)
{
    CuErr e = check_device(device);
    return e != cudaSuccess || device_attribute(attribute, device, value) ? e : cudaErrorInvalidValue;
}

CuErr drv_cuDeviceComputeCapability(int *major, int *minor, int device)
{
    *major = 9;
    *minor = 0;
    return check_device(device);
}

/* ---- contexts ---- */

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
            return true;
    return false;
}

static CuErr context_create(Context **out, unsigned flags, int device)
{
    CuErr e = check_device(device);
    if (e != cudaSuccess || top == STACK || !state_device(device, &e))
        return e;
    Context *c   = xcalloc(1, sizeof *c);
    *c           = (Context){.device = device, .flags = flags, .next = contexts};
    contexts     = c;
    stack[top++] = c;
    follow();
    *out = c;
    return cudaSuccess;
}

CuErr drv_cuCtxCreate_v2(Context **out, unsigned flags, int device)
{
    ENTER();
    return context_create(out, flags, device);
}

CuErr drv_cuCtxCreate_v4(Context **out, const void *params, unsigned flags, int device)
{
    (void)params;
    ENTER();
    return context_create(out, flags, device);
}

CuErr drv_cuCtxDestroy_v2(Context *c)
{
    ENTER_ANYWAY();
    if (!known(c) || c->device < 0)
        return cudaErrorDeviceUninitialized;
    queue_settle_device(c->device);
    for (Context **at = &contexts; *at; at = &(*at)->next)
        if (*at == c) {
            *at = c->next;
            break;
        }
    if (top && stack[top - 1] == c)
        top--;
    follow();
    free(c);
    return cudaSuccess;
}

CuErr drv_cuCtxGetCurrent(Context **out)
{
    *out = top ? stack[top - 1] : NULL;
    return initialised ? cudaSuccess : cudaErrorInitializationError;
}

CuErr drv_cuCtxPushCurrent_v2(Context *c)
{
    ENTER_ANYWAY();
    if (!known(c) || top == STACK)
        return cudaErrorDeviceUninitialized;
    stack[top++] = c;
    follow();
    return cudaSuccess;
}

CuErr drv_cuCtxPopCurrent_v2(Context **out)
{
    ENTER_ANYWAY();
    if (!top)
        return cudaErrorDeviceUninitialized;
    top--;
    if (out)
        *out = stack[top];
    follow();
    return cudaSuccess;
}

CuErr drv_cuCtxSetCurrent(Context *c)
{
    ENTER_ANYWAY();
    if (c && !known(c))
        return cudaErrorDeviceUninitialized;
    top -= top > 0;
    if (c)
        stack[top++] = c;
    follow();
    return cudaSuccess;
}

CuErr drv_cuCtxGetDevice(int *device)
{
    ENTER_CTX();
    *device = stack[top - 1]->device;
    return cudaSuccess;
}

CuErr drv_cuCtxGetFlags(unsigned *flags)
{
    ENTER_CTX();
    *flags = stack[top - 1]->flags;
    return cudaSuccess;
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
    state_flush();
    return cudaSuccess;
}

CuErr drv_cuDevicePrimaryCtxRetain(Context **out, int device)
{
    ENTER();
    CuErr e = check_device(device);
    if (e != cudaSuccess || !state_device(device, &e))
        return e;
    primary[device].device   = device;
    primary[device].primary  = true;
    primary[device].retained = true;
    *out                     = &primary[device];
    return cudaSuccess;
}

CuErr drv_cuDevicePrimaryCtxRelease_v2(int device)
{
    CuErr e = check_device(device);
    return e == cudaSuccess && !primary[device].retained ? cudaErrorDeviceUninitialized : e;
}

CuErr drv_cuDevicePrimaryCtxReset_v2(int device)
{
    ENTER_ANYWAY();
    CuErr e = check_device(device);
    if (e == cudaSuccess)
        devmem_drop_device(device);
    return e;
}

CuErr drv_cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    CuErr e = check_device(device);
    if (e == cudaSuccess) {
        *flags  = primary[device].flags;
        *active = state.device[device] != NULL;
    }
    return e;
}

CuErr drv_cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags)
{
    CuErr e = check_device(device);
    if (e == cudaSuccess)
        primary[device].flags = flags;
    return e;
}
