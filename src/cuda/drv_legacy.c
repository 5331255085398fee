/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: launches as they were before cuLaunchKernel: block shape, shared memory and parameters belong to the function and are
 * set one by one. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/driver.h"
#include "cuda/stream.h"
#include "emu/emu.h"

enum { PARAM_BYTES = 4096 };

typedef struct Prepared {
    const Kernel    *kernel;
    WwDim3           block;
    unsigned         shared, bytes;
    char             params[PARAM_BYTES];
    struct Prepared *next;
} Prepared;

static Prepared *list;

static Prepared *prepared(Kernel *f)
{
    CuErr   e;
    Kernel *k = kernel_find(f, &e);
    for (Prepared *p = list; k && p; p = p->next)
        if (p->kernel == k)
            return p;
    if (!k)
        return NULL;
    Prepared *p = xcalloc(1, sizeof *p);
    p->kernel   = k;
    p->block    = (WwDim3){1, 1, 1};
    p->next     = list;
    list        = p;
    return p;
}

CuErr drv_cuFuncSetBlockShape(Kernel *f, int x, int y, int z)
{
    ENTER_CTX();
    Prepared *p = prepared(f);
    if (!p || x < 1 || y < 1 || z < 1)
        return p ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    p->block = (WwDim3){(uint32_t)x, (uint32_t)y, (uint32_t)z};
    return cudaSuccess;
}

CuErr drv_cuFuncSetSharedSize(Kernel *f, unsigned bytes)
{
    ENTER_CTX();
    Prepared *p = prepared(f);
    if (p)
        p->shared = bytes;
    return p ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuParamSetSize(Kernel *f, unsigned bytes)
{
    ENTER_CTX();
    Prepared *p = prepared(f);
    if (!p || bytes > PARAM_BYTES)
        return p ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    p->bytes = bytes;
    return cudaSuccess;
}

CuErr drv_cuParamSetv(Kernel *f, int offset, const void *value, unsigned bytes)
{
    ENTER_CTX();
    Prepared *p = prepared(f);
    if (!p || !value || offset < 0 || bytes > PARAM_BYTES || (unsigned)offset > PARAM_BYTES - bytes)
        return p ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    memcpy(p->params + offset, value, bytes);
    return cudaSuccess;
}

CuErr drv_cuParamSeti(Kernel *f, int offset, unsigned value)
{
    return drv_cuParamSetv(f, offset, &value, sizeof value);
}

CuErr drv_cuParamSetf(Kernel *f, int offset, float value)
{
    return drv_cuParamSetv(f, offset, &value, sizeof value);
}

CuErr drv_cuLaunchGridAsync(Kernel *f, int width, int height, void *stream)
{
    ENTER_CTX();
    CuErr       e = cudaErrorInvalidResourceHandle;
    WwModule   *m;
    Prepared   *p    = prepared(f);
    Kernel     *k    = p ? kernel_find(f, &e) : NULL;
    const Func *func = k ? kernel_func(k, state_current(), &m, &e) : NULL;
    if (!func || width < 1 || height < 1)
        return func ? cudaErrorInvalidValue : e;
    void **args = xcalloc(func->nparams + 1, sizeof *args);
    for (size_t i = 0; i < func->nparams && e == cudaSuccess; i++) {
        uint32_t at = 0, n = 0;
        emu_param(func, i, &at, &n);
        args[i] = p->params + at;
        e       = at + n > p->bytes ? cudaErrorInvalidValue : e;
    }
    LaunchAsk a = {
        .grid = {(uint32_t)width, (uint32_t)height, 1}, .block = p->block, .shared = p->shared, .args = args};
    if (e == cudaSuccess)
        e = stream_launch(stream, k, &a);
    free(args);
    return e;
}

CuErr drv_cuLaunchGrid(Kernel *f, int width, int height)
{
    return drv_cuLaunchGridAsync(f, width, height, NULL);
}

CuErr drv_cuLaunch(Kernel *f)
{
    return drv_cuLaunchGridAsync(f, 1, 1, NULL);
}
