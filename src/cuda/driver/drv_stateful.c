/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's first way to launch, deprecated and still documented (PyCUDA uses parts of it): a function remembers its block shape, shared
 * memory and parameter bytes until cuLaunch, cuLaunchGrid or cuLaunchGridAsync runs it through cuLaunchKernel, which checks what was set.
 * Also cuCtxAttach and cuCtxDetach, the count of a context's users from the same time: one user is all that is supported, as in drivers
 * since CUDA 4: attaching gives the current context, detaching the last user destroys it.
 * Not modelled: texture references as parameters. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/driver/driver.h"

enum { PARAM_BYTES = 4096 };

struct StatefulLaunch {
    unsigned block[3], shared;
    size_t   bytes; /* of the parameters, as cuParamSetSize said */
    uint8_t  params[PARAM_BYTES];
};

typedef struct Context Context;
CuErr drv_cuLaunchKernel(Kernel *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                         unsigned shared, void *stream, void **args, void **extra);
CuErr drv_cuCtxGetCurrent(Context **out);
CuErr drv_cuCtxDestroy_v2(Context *c);

/* What is remembered for f, begun at the first use; NULL: f is not a function. */
static struct StatefulLaunch *remembered(Kernel *f, CuErr *e)
{
    Kernel *k = kernel_find(f, e);
    if (!k) {
        *e = cudaErrorInvalidResourceHandle;
        return NULL;
    }
    if (!k->stateful) {
        k->stateful  = xcalloc(1, sizeof *k->stateful);
        *k->stateful = (struct StatefulLaunch){.block = {1, 1, 1}};
    }
    return k->stateful;
}

CuErr drv_cuFuncSetBlockShape(Kernel *f, int x, int y, int z)
{
    ENTER_CTX();
    CuErr                  e;
    struct StatefulLaunch *s = remembered(f, &e);
    if (!s || x <= 0 || y <= 0 || z <= 0)
        return s ? cudaErrorInvalidValue : e;
    s->block[0] = (unsigned)x;
    s->block[1] = (unsigned)y;
    s->block[2] = (unsigned)z;
    return cudaSuccess;
}

CuErr drv_cuFuncSetSharedSize(Kernel *f, unsigned bytes)
{
    ENTER_CTX();
    CuErr                  e;
    struct StatefulLaunch *s = remembered(f, &e);
    if (!s)
        return e;
    s->shared = bytes;
    return cudaSuccess;
}

CuErr drv_cuParamSetSize(Kernel *f, unsigned bytes)
{
    ENTER_CTX();
    CuErr                  e;
    struct StatefulLaunch *s = remembered(f, &e);
    if (!s || bytes > PARAM_BYTES)
        return s ? cudaErrorInvalidValue : e;
    s->bytes = bytes;
    return cudaSuccess;
}

CuErr drv_cuParamSetv(Kernel *f, int offset, const void *value, unsigned bytes)
{
    ENTER_CTX();
    CuErr                  e;
    struct StatefulLaunch *s = remembered(f, &e);
    if (!s || offset < 0 || offset > PARAM_BYTES || bytes > PARAM_BYTES - (unsigned)offset || (bytes && !value))
        return s ? cudaErrorInvalidValue : e;
    if (bytes)
        memcpy(s->params + offset, value, bytes);
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
    CuErr                  e;
    struct StatefulLaunch *s = remembered(f, &e);
    if (!s || width <= 0 || height <= 0)
        return s ? cudaErrorInvalidValue : e;
    void *extra[] = {(void *)(uintptr_t)1, s->params, (void *)(uintptr_t)2, &s->bytes, NULL};
    return drv_cuLaunchKernel(f, (unsigned)width, (unsigned)height, 1, s->block[0], s->block[1], s->block[2], s->shared,
                              stream, NULL, extra);
}

CuErr drv_cuLaunchGrid(Kernel *f, int width, int height)
{
    return drv_cuLaunchGridAsync(f, width, height, NULL);
}

CuErr drv_cuLaunch(Kernel *f)
{
    return drv_cuLaunchGrid(f, 1, 1);
}

CuErr drv_cuCtxAttach(Context **out, unsigned flags)
{
    ENTER_CTX();
    return flags ? cudaErrorInvalidValue : drv_cuCtxGetCurrent(out);
}

CuErr drv_cuCtxDetach(Context *c)
{
    return drv_cuCtxDestroy_v2(c);
}
