/* SPDX-License-Identifier: Apache-2.0
 *
 * The entry points of src/device/cuda_driver.h, answered from host memory.  Built as a shared library of its own, so that it is
 * found with dlopen as the real one is.  Like the real one it refuses everything but a reset after a sticky error, and everything
 * that needs a context before one is current. */
#include "tests/mock/mock_cuda.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { OK = 0, INVALID_VALUE = 1, NO_CONTEXT = 201, NOT_FOUND = 500, MAX_BUFFERS = 64 };

typedef struct Buffer {
    char  *at;
    size_t bytes;
} Buffer;

static MockCuda state;
static Buffer   buffers[MAX_BUFFERS];
static int      sticky, current;
static void    *context; /* of the one thread there is */
static double   clock_ms;
static char     variable[64];

EXPORT MockCuda *mock_cuda(void);
EXPORT void      mock_cuda_reset(void);

MockCuda *mock_cuda(void)
{
    return &state;
}

void mock_cuda_reset(void)
{
    for (int i = 0; i < MAX_BUFFERS; i++)
        free(buffers[i].at);
    memset(buffers, 0, sizeof buffers);
    memset(&state, 0, sizeof state);
    sticky = current = 0;
    context          = NULL;
    clock_ms         = 0;
    state.devices    = 1;
    state.cc         = 90;
    state.launch_ms  = 0.01;
}

static int ready(void)
{
    return sticky ? sticky : current ? OK : NO_CONTEXT;
}

#define READY()                                                                                                        \
    do {                                                                                                               \
        int ready_ = ready();                                                                                          \
        if (ready_)                                                                                                    \
            return ready_;                                                                                             \
    } while (0)

/* ---- start ---- */

EXPORT int cuInit(unsigned flags);
EXPORT int cuDriverGetVersion(int *out);
EXPORT int cuGetErrorName(int e, const char **out);
EXPORT int cuGetErrorString(int e, const char **out);
EXPORT int cuDeviceGetCount(int *out);
EXPORT int cuDeviceGet(int *out, int ordinal);
EXPORT int cuDeviceGetName(char *out, int len, int dev);
EXPORT int cuDeviceGetAttribute(int *out, int attribute, int dev);

int cuInit(unsigned flags)
{
    return flags ? INVALID_VALUE : state.fail_init;
}

int cuDriverGetVersion(int *out)
{
    *out = 12040;
    return OK;
}

static const struct {
    int         number;
    const char *name, *text;
} errors[] = {
    {1, "MOCK_INVALID_VALUE", "a value is not allowed"},
    {2, "MOCK_OUT_OF_MEMORY", "no memory is left"},
    {100, "MOCK_NO_DEVICE", "there is no device"},
    {218, "MOCK_INVALID_PTX", "the text is malformed"},
    {222, "MOCK_UNSUPPORTED_PTX", "the text is too new"},
    {700, "MOCK_ILLEGAL_ADDRESS", "a kernel went astray"},
    {701, "MOCK_OUT_OF_RESOURCES", "too much was asked for"},
};

int cuGetErrorName(int e, const char **out)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == e)
            return *out = errors[i].name, OK;
    return INVALID_VALUE;
}

int cuGetErrorString(int e, const char **out)
{
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].number == e)
            return *out = errors[i].text, OK;
    return INVALID_VALUE;
}

int cuDeviceGetCount(int *out)
{
    *out = state.devices;
    return OK;
}

int cuDeviceGet(int *out, int ordinal)
{
    *out = ordinal;
    return ordinal < state.devices ? OK : INVALID_VALUE;
}

int cuDeviceGetName(char *out, int len, int dev)
{
    (void)dev;
    strncpy(out, "Mock GPU", (size_t)len);
    return OK;
}

int cuDeviceGetAttribute(int *out, int attribute, int dev)
{
    (void)dev;
    *out = attribute == 75 ? state.cc / 10 : attribute == 76 ? state.cc % 10 : 0;
    return OK;
}

/* ---- context ---- */

EXPORT int cuDevicePrimaryCtxRetain(void **out, int dev);
EXPORT int cuDevicePrimaryCtxRelease_v2(int dev);
EXPORT int cuDevicePrimaryCtxReset_v2(int dev);
EXPORT int cuCtxSetCurrent(void *ctx);
EXPORT int cuCtxGetCurrent(void **out);

int cuDevicePrimaryCtxRetain(void **out, int dev)
{
    (void)dev;
    *out = &state;
    state.retained++;
    return OK;
}

int cuDevicePrimaryCtxRelease_v2(int dev)
{
    (void)dev;
    state.retained--;
    return OK;
}

int cuDevicePrimaryCtxReset_v2(int dev)
{
    (void)dev;
    state.resets++;
    sticky        = 0;
    state.modules = 0;
    for (int i = 0; i < MAX_BUFFERS; i++) {
        free(buffers[i].at);
        buffers[i] = (Buffer){0};
    }
    state.buffers = 0;
    return OK;
}

int cuCtxSetCurrent(void *ctx)
{
    current = ctx == &state;
    context = ctx;
    return OK;
}

int cuCtxGetCurrent(void **out)
{
    *out = context;
    return OK;
}

/* ---- modules: a handle is the state or, for a function, its name ---- */

EXPORT int cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values);
EXPORT int cuModuleUnload(void *m);
EXPORT int cuModuleGetFunction(void **out, void *m, const char *name);
EXPORT int cuModuleGetGlobal_v2(uint64_t *out, size_t *bytes, void *m, const char *name);
EXPORT int cuFuncSetAttribute(void *f, int attribute, int value);

int cuModuleLoadDataEx(void **out, const void *image, unsigned n, int *options, void **values)
{
    READY();
    char  *log = NULL;
    size_t cap = 0;
    for (unsigned i = 0; i < n; i++) {
        if (options[i] == 5)
            log = values[i];
        if (options[i] == 6)
            cap = (size_t)(uintptr_t)values[i];
    }
    strncpy(state.image, image, sizeof state.image - 1);
    if (state.image[0] != '.' && state.fail_code)
        return state.fail_code;
    if (state.fail_load) {
        if (state.jit_log && log && cap)
            strncpy(log, state.jit_log, cap - 1);
        return state.fail_load;
    }
    state.modules++;
    *out = &state;
    return OK;
}

int cuModuleUnload(void *m)
{
    READY();
    state.modules--;
    return m == &state ? OK : INVALID_VALUE;
}

int cuModuleGetFunction(void **out, void *m, const char *name)
{
    READY();
    if (state.fail_function)
        return state.fail_function;
    *out = (void *)(uintptr_t)name; /* lives as long as the module's text does */
    return m == &state ? OK : INVALID_VALUE;
}

int cuModuleGetGlobal_v2(uint64_t *out, size_t *bytes, void *m, const char *name)
{
    READY();
    if (m != &state || strcmp(name, "table") != 0)
        return NOT_FOUND;
    *out   = (uint64_t)(uintptr_t)variable;
    *bytes = sizeof variable;
    return OK;
}

int cuFuncSetAttribute(void *f, int attribute, int value)
{
    READY();
    state.attribute       = attribute;
    state.attribute_value = value;
    return f ? state.fail_attribute : INVALID_VALUE;
}

/* ---- memory ---- */

EXPORT int cuMemAlloc_v2(uint64_t *out, size_t bytes);
EXPORT int cuMemFree_v2(uint64_t p);
EXPORT int cuMemcpyHtoD_v2(uint64_t dst, const void *src, size_t bytes);
EXPORT int cuMemcpyDtoH_v2(void *dst, uint64_t src, size_t bytes);
EXPORT int cuMemcpyDtoD_v2(uint64_t dst, uint64_t src, size_t bytes);
EXPORT int cuMemsetD8_v2(uint64_t dst, unsigned char value, size_t bytes);
EXPORT int cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t bytes, void *stream);
EXPORT int cuMemsetD8Async(uint64_t dst, unsigned char value, size_t bytes, void *stream);
EXPORT int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t p);

int cuMemAlloc_v2(uint64_t *out, size_t bytes)
{
    READY();
    if (state.fail_alloc)
        return state.fail_alloc;
    for (int i = 0; i < MAX_BUFFERS; i++) {
        if (buffers[i].at)
            continue;
        buffers[i] = (Buffer){calloc(bytes, 1), bytes};
        *out       = (uint64_t)(uintptr_t)buffers[i].at;
        state.buffers++;
        return OK;
    }
    return 2;
}

int cuMemFree_v2(uint64_t p)
{
    READY();
    for (int i = 0; i < MAX_BUFFERS; i++) {
        if (!p || (uint64_t)(uintptr_t)buffers[i].at != p)
            continue;
        free(buffers[i].at);
        buffers[i] = (Buffer){0};
        state.buffers--;
        return OK;
    }
    return INVALID_VALUE;
}

/* Host memory behind a device range; NULL if it is in no buffer. */
static void *host(uint64_t p, size_t bytes)
{
    uint64_t v = (uint64_t)(uintptr_t)variable;
    if (p >= v && p - v + bytes <= sizeof variable)
        return variable + (p - v);
    for (int i = 0; i < MAX_BUFFERS; i++) {
        uint64_t base = (uint64_t)(uintptr_t)buffers[i].at;
        if (base && p >= base && p - base + bytes <= buffers[i].bytes)
            return buffers[i].at + (p - base);
    }
    return NULL;
}

int cuMemcpyHtoD_v2(uint64_t dst, const void *src, size_t bytes)
{
    READY();
    void *to = host(dst, bytes);
    return to ? (memcpy(to, src, bytes), OK) : INVALID_VALUE;
}

int cuMemcpyDtoH_v2(void *dst, uint64_t src, size_t bytes)
{
    READY();
    const void *from = host(src, bytes);
    return from ? (memcpy(dst, from, bytes), OK) : INVALID_VALUE;
}

int cuMemcpyDtoD_v2(uint64_t dst, uint64_t src, size_t bytes)
{
    READY();
    void *to = host(dst, bytes), *from = host(src, bytes);
    return to && from ? (memcpy(to, from, bytes), OK) : INVALID_VALUE;
}

int cuMemsetD8_v2(uint64_t dst, unsigned char value, size_t bytes)
{
    READY();
    void *to = host(dst, bytes);
    return to ? (memset(to, value, bytes), OK) : INVALID_VALUE;
}

int cuMemcpyDtoDAsync_v2(uint64_t dst, uint64_t src, size_t bytes, void *stream)
{
    state.stream = stream;
    return cuMemcpyDtoD_v2(dst, src, bytes);
}

int cuMemsetD8Async(uint64_t dst, unsigned char value, size_t bytes, void *stream)
{
    state.stream = stream;
    return cuMemsetD8_v2(dst, value, bytes);
}

int cuMemGetAddressRange_v2(uint64_t *base, size_t *bytes, uint64_t p)
{
    READY();
    if (!state.foreign_bytes || p - state.foreign >= state.foreign_bytes)
        return INVALID_VALUE;
    *base  = state.foreign;
    *bytes = state.foreign_bytes;
    return OK;
}

/* ---- streams: a handle is an allocation ---- */

EXPORT int cuStreamCreate(void **out, unsigned flags);
EXPORT int cuStreamDestroy_v2(void *s);
EXPORT int cuStreamWaitEvent(void *s, double *e, unsigned flags);

int cuStreamCreate(void **out, unsigned flags)
{
    READY();
    *out = calloc(1, 1);
    state.streams++;
    return flags ? INVALID_VALUE : OK;
}

int cuStreamWaitEvent(void *s, double *e, unsigned flags)
{
    READY();
    state.stream = s;
    return e && !flags ? OK : INVALID_VALUE;
}

int cuStreamDestroy_v2(void *s)
{
    free(s);
    state.streams--;
    return OK;
}

/* ---- launches and events: an event is the clock's reading ---- */

typedef struct MockAttribute {
    int      id, pad;
    unsigned value[16];
} MockAttribute;

typedef struct MockConfig {
    unsigned       grid[3], block[3], shared;
    void          *stream;
    MockAttribute *attributes;
    unsigned       count;
} MockConfig;

EXPORT int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                          unsigned shared, void *stream, void **args, void **extra);
EXPORT int cuLaunchKernelEx(const MockConfig *c, void *f, void **args, void **extra);
EXPORT int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dim,
                                  const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride,
                                  int interleave, int swizzle, int promotion, int fill);
EXPORT int cuTensorMapEncodeIm2col(void);
EXPORT int cuStreamSynchronize(void *s);
EXPORT int cuEventCreate(double **out, unsigned flags);
EXPORT int cuEventDestroy_v2(double *e);
EXPORT int cuEventRecord(double *e, void *s);
EXPORT int cuEventSynchronize(double *e);
EXPORT int cuEventElapsedTime(float *ms, const double *from, const double *to);

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **args, void **extra)
{
    READY();
    if (!f || extra)
        return INVALID_VALUE;
    state.stream = stream;
    if (state.fail_launch)
        return state.fail_launch;
    memcpy(state.grid, (unsigned[]){gx, gy, gz}, sizeof state.grid);
    memcpy(state.block, (unsigned[]){bx, by, bz}, sizeof state.block);
    state.shared = shared;
    memset(state.cluster, 0, sizeof state.cluster);
    state.programmatic = 0;
    state.launches++;
    clock_ms += state.launch_ms;
    if (state.fault)
        sticky = state.fault;
    else if (state.kernel)
        state.kernel(f, args);
    return OK;
}

int cuLaunchKernelEx(const MockConfig *c, void *f, void **args, void **extra)
{
    int e = cuLaunchKernel(f, c->grid[0], c->grid[1], c->grid[2], c->block[0], c->block[1], c->block[2], c->shared,
                           c->stream, args, extra);
    for (unsigned i = 0; i < c->count && e == OK; i++) {
        if (c->attributes[i].id == 4)
            memcpy(state.cluster, c->attributes[i].value, sizeof state.cluster);
        else if (c->attributes[i].id == 6)
            state.programmatic = (int)c->attributes[i].value[0];
        else
            e = INVALID_VALUE;
    }
    return e;
}

/* The address and the sides are what is kept of a map. */
int cuTensorMapEncodeTiled(void *map, int type, uint32_t rank, void *address, const uint64_t *dim,
                           const uint64_t *stride, const uint32_t *box, const uint32_t *element_stride, int interleave,
                           int swizzle, int promotion, int fill)
{
    (void)type, (void)stride, (void)box, (void)element_stride, (void)interleave, (void)swizzle, (void)promotion,
        (void)fill;
    memcpy(map, &address, sizeof address);
    memcpy((char *)map + sizeof address, dim, rank * sizeof *dim);
    state.maps++;
    return OK;
}

int cuTensorMapEncodeIm2col(void)
{
    return INVALID_VALUE;
}

int cuStreamSynchronize(void *s)
{
    state.waited = s;
    state.waits++;
    return ready();
}

int cuEventCreate(double **out, unsigned flags)
{
    (void)flags;
    READY();
    *out = calloc(1, sizeof **out);
    state.events++;
    return OK;
}

int cuEventDestroy_v2(double *e)
{
    free(e);
    state.events--;
    return OK;
}

int cuEventRecord(double *e, void *s)
{
    (void)s;
    READY();
    state.records++;
    *e = clock_ms;
    return OK;
}

int cuEventSynchronize(double *e)
{
    state.synced++;
    return e ? ready() : INVALID_VALUE;
}

int cuEventElapsedTime(float *ms, const double *from, const double *to)
{
    READY();
    *ms = (float)(*to - *from);
    return OK;
}
