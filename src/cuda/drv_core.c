/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: initialisation, devices, contexts, modules, functions, launches.
 * A context is a handle that names a device; every context of a device sees the same memory, as the runtime's primary one does.
 * Each thread has a stack of current contexts; the runtime's current device follows it.  A CUfunction is a Kernel, a CUmodule an Image. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "cuda/api.h"
#include "cuda/device.h"
#include "cuda/fatbin.h"
#include "cuda/module.h"
#include "cuda/stream.h"
#include "emu/emu.h"

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

static CuErr ready(void)
{
    return !initialised ? cudaErrorInitializationError : top ? cudaSuccess : cudaErrorDeviceUninitialized;
}

#define ENTER_CTX()                                                                                                    \
    ENTER();                                                                                                           \
    do {                                                                                                               \
        CuErr ready_ = ready();                                                                                        \
        if (ready_ != cudaSuccess)                                                                                     \
            return ready_;                                                                                             \
    } while (0)

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
    state_flush();
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

/* ---- modules ---- */

static CuErr load(Image **out, const void *data, size_t limit)
{
    typedef struct Wrapper {
        int         magic, version;
        const void *data, *more;
    } Wrapper;
    const Wrapper *w = data;
    CuErr          e;
    if (!data)
        return cudaErrorInvalidValue;
    bool        wrapped = limit >= sizeof *w && w->magic == 0x466243b1, fat = fatbin_is(data, limit);
    const char *text = data;
    if (!wrapped && !fat && !memcmp(data, "\177ELF", 4)) {
        state_say("the module is machine code (a cubin); only PTX can be run: load the .ptx or a fat binary with PTX");
        return cudaErrorNoKernelImageForDevice;
    }
    Image *i = wrapped || fat
                   ? image_new(wrapped ? w->data : data, NULL, 0, "module.ptx")
                   : image_new(NULL, text, limit == SIZE_MAX ? strlen(text) : strnlen(text, limit), "module.ptx");
    if (!image_module(i, state_current(), &e)) {
        image_free(i);
        return e;
    }
    *out = i;
    return cudaSuccess;
}

CuErr drv_cuModuleLoadData(Image **out, const void *data)
{
    ENTER_CTX();
    return load(out, data, SIZE_MAX);
}

CuErr drv_cuModuleLoadDataEx(Image **out, const void *data, unsigned n, int *options, void **values)
{
    (void)n, (void)options, (void)values;
    ENTER_CTX();
    return load(out, data, SIZE_MAX);
}

CuErr drv_cuModuleLoadFatBinary(Image **out, const void *data)
{
    ENTER_CTX();
    return load(out, data, SIZE_MAX);
}

CuErr drv_cuModuleLoad(Image **out, const char *path)
{
    ENTER_CTX();
    int   fd       = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    off_t size     = fd >= 0 ? lseek(fd, 0, SEEK_END) : -1;
    char *data     = size >= 0 ? xcalloc((size_t)size + 8, 1) : NULL;
    bool  read_all = data && pread(fd, data, (size_t)size, 0) == size;
    if (fd >= 0)
        close(fd);
    CuErr e = read_all ? load(out, data, (size_t)size + 8)
              : fd < 0 ? cudaErrorFileNotFound
                       : cudaErrorInvalidKernelImage;
    free(data);
    return e;
}

CuErr drv_cuModuleUnload(Image *i)
{
    ENTER_CTX();
    if (!i)
        return cudaErrorInvalidResourceHandle;
    state_flush();
    image_free(i);
    return cudaSuccess;
}

CuErr drv_cuModuleGetFunction(Kernel **out, Image *i, const char *name)
{
    ENTER_CTX();
    CuErr e;
    if (!i || !name)
        return cudaErrorInvalidValue;
    Kernel *k = image_kernel(i, name, &e);
    if (k)
        *out = k;
    return e;
}

CuErr drv_cuModuleGetGlobal_v2(WwPtr *address, size_t *bytes, Image *i, const char *name)
{
    ENTER_CTX();
    WwPtr  p;
    size_t n;
    CuErr  e = i && name ? image_variable(i, state_current(), name, &p, &n) : cudaErrorInvalidValue;
    if (e == cudaSuccess && address)
        *address = p;
    if (e == cudaSuccess && bytes)
        *bytes = n;
    return e;
}

/* ---- functions ---- */

CuErr drv_cuFuncGetAttribute(int *value, int attribute, Kernel *f)
{
    ENTER_CTX();
    CuErr          e;
    FuncAttributes a;
    Kernel        *k = kernel_find(f, &e);
    e                = k ? launch_attributes(k, &a) : cudaErrorInvalidResourceHandle;
    if (e != cudaSuccess)
        return e;
    const int values[] = {a.max_threads,        (int)a.shared_bytes, (int)a.const_bytes,     (int)a.local_bytes,
                          a.registers,          a.ptx_version,       a.binary_version,       a.cache_mode,
                          a.max_dynamic_shared, a.carveout,          a.cluster_must_be_set,  a.cluster[0],
                          a.cluster[1],         a.cluster[2],        a.non_portable_cluster, a.cluster_policy};
    if (attribute < 0 || (size_t)attribute >= sizeof values / sizeof *values)
        return cudaErrorInvalidValue;
    *value = values[attribute];
    return cudaSuccess;
}

CuErr drv_cuFuncSetAttribute(Kernel *f, int attribute, int value)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    return k ? launch_set_attribute(k, attribute, value) : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuFuncSetCacheConfig(Kernel *f, int config)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    if (k)
        k->cache = config;
    return k ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel *f, int threads, size_t shared)
{
    ENTER_CTX();
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    return k ? launch_occupancy(k, threads, shared, blocks) : cudaErrorInvalidResourceHandle;
}

/* `extra` holds one packed buffer: 1, its address, 2, the address of its size, 0. */
static CuErr unpack(Kernel *k, void **extra, void **args, size_t cap)
{
    CuErr     e;
    WwModule *m;
    char     *buffer = NULL;
    size_t    bytes  = 0;
    for (size_t i = 0; extra[i]; i += 2) {
        if (extra[i] == (void *)1)
            buffer = extra[i + 1];
        else if (extra[i] == (void *)2)
            bytes = *(size_t *)extra[i + 1];
        else
            return cudaErrorInvalidValue;
    }
    const Func *f = kernel_func(k, state_current(), &m, &e);
    if (!f)
        return e;
    for (size_t i = 0; i < f->nparams; i++) {
        uint32_t at, n;
        emu_param(f, i, &at, &n);
        if (!buffer || at + n > bytes || i == cap)
            return cudaErrorInvalidValue;
        args[i] = buffer + at;
    }
    return cudaSuccess;
}

static CuErr launch(Kernel *f, LaunchAsk *a, void **extra, void *stream)
{
    enum { MOST = 4096 };
    static void *args[MOST]; /* under the lock */
    CuErr        e;
    bool         captured;
    Kernel      *k = kernel_find(f, &e);
    if (!k)
        return cudaErrorInvalidResourceHandle;
    e = extra && !a->args ? unpack(k, extra, args, MOST) : cudaSuccess;
    if (extra && !a->args)
        a->args = args;
    if (e == cudaSuccess)
        e = stream_use(stream, &captured);
    if (e != cudaSuccess)
        return e;
    e = captured ? cgraph_capture_kernel(stream, k, a) : launch_run(k, a);
    return e == cudaErrorInvalidConfiguration ? cudaErrorInvalidValue
                                              : e; /* the driver has no code of its own for it */
}

CuErr drv_cuLaunchKernel(Kernel *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, void *stream, void **args, void **extra)
{
    ENTER_CTX();
    LaunchAsk a = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .args = args};
    return launch(f, &a, extra, stream);
}

CuErr drv_cuLaunchCooperativeKernel(Kernel *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                                    unsigned bz, unsigned shared, void *stream, void **args)
{
    ENTER_CTX();
    LaunchAsk a = {.grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared, .args = args, .cooperative = true};
    return launch(f, &a, NULL, stream);
}
