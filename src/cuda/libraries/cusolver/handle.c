/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles, and the objects of parameters, whose numbers are kept and change nothing. */
#include <stdlib.h>
#include <string.h>

#include "cuda/libraries/cusolver/cusolver.h"

static const char kind, parameters;

Handle *handle_of(void *handle)
{
    return ww_cuda_library_has(&kind, handle) ? handle : NULL;
}

Sol cusolverDnCreate(void **out)
{
    if (!out)
        return SOL_INVALID_VALUE;
    if (!ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return SOL_NOT_INITIALIZED;
    Handle *h = calloc(1, sizeof *h);
    if (!h || ww_cuda_library_keep(&kind, h) < 0) {
        free(h);
        return SOL_ALLOC_FAILED;
    }
    *out = h;
    return SOL_SUCCESS;
}

Sol cusolverDnDestroy(void *handle)
{
    Handle *h = handle_of(handle);
    if (!h)
        return SOL_NOT_INITIALIZED;
    ww_cuda_library_wait(h->stream);
    ww_cuda_library_drop(&kind, h);
    free(h);
    return SOL_SUCCESS;
}

#define MEMBER(name, type, member)                                                                                     \
    Sol cusolverDnSet##name(void *handle, type value)                                                                  \
    {                                                                                                                  \
        Handle *h = handle_of(handle);                                                                                 \
        if (!h)                                                                                                        \
            return SOL_NOT_INITIALIZED;                                                                                \
        h->member = value;                                                                                             \
        return SOL_SUCCESS;                                                                                            \
    }                                                                                                                  \
    Sol cusolverDnGet##name(void *handle, type *value)                                                                 \
    {                                                                                                                  \
        const Handle *h = handle_of(handle);                                                                           \
        if (!h || !value)                                                                                              \
            return h ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;                                                        \
        *value = h->member;                                                                                            \
        return SOL_SUCCESS;                                                                                            \
    }
MEMBER(Stream, void *, stream)
MEMBER(DeterministicMode, int, mode)
MEMBER(MathMode, int, math)
MEMBER(EmulationStrategy, int, emulation)

/* There is no log. */
#define LOGGING(name, type)                                                                                            \
    Sol cusolverDnLogger##name(type value)                                                                             \
    {                                                                                                                  \
        (void)value;                                                                                                   \
        return SOL_SUCCESS;                                                                                            \
    }
LOGGING(SetCallback, void *)
LOGGING(SetFile, void *)
LOGGING(OpenFile, const char *)
LOGGING(SetLevel, int)
LOGGING(SetMask, int)

Sol cusolverDnLoggerForceDisable(void)
{
    return SOL_SUCCESS;
}

/* The last release's of that CUDA: frameworks ask for a least version. */
enum { MINOR = WW_CUSOLVER == 12 ? 0 : 7, PATCH = WW_CUSOLVER == 12 ? 4 : 5 };

Sol cusolverGetVersion(int *version)
{
    if (!version)
        return SOL_INVALID_VALUE;
    *version = WW_CUSOLVER * 1000 + MINOR * 100 + PATCH;
    return SOL_SUCCESS;
}

Sol cusolverGetProperty(int type, int *value)
{
    if (!value || type < 0 || type > 2)
        return SOL_INVALID_VALUE;
    *value = type == 0 ? WW_CUSOLVER : type == 1 ? MINOR : PATCH;
    return SOL_SUCCESS;
}

/* ---- parameters ---- */

typedef struct Parameters {
    double tolerance;
    int    sweeps, sort;
} Parameters;

Sol object_new(const char *of, void **out, const void *value, size_t bytes)
{
    void *p = out ? malloc(bytes) : NULL;
    if (!p || ww_cuda_library_keep(of, p) < 0) {
        free(p);
        return out ? SOL_ALLOC_FAILED : SOL_INVALID_VALUE;
    }
    memcpy(p, value, bytes);
    *out = p;
    return SOL_SUCCESS;
}

Sol object_drop(const char *of, void *p)
{
    if (!ww_cuda_library_drop(of, p))
        return p ? SOL_INVALID_VALUE : SOL_SUCCESS;
    free(p);
    return SOL_SUCCESS;
}

Sol size_elements(void *handle, int *elements)
{
    if (!handle_of(handle) || !elements)
        return handle_of(handle) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    *elements = 1;
    return SOL_SUCCESS;
}

Sol size_bytes(void *handle, size_t *device, size_t *host)
{
    if (!handle_of(handle) || !device || !host)
        return handle_of(handle) ? SOL_INVALID_VALUE : SOL_NOT_INITIALIZED;
    *device = 16;
    *host   = 0;
    return SOL_SUCCESS;
}

#define OBJECT(name)                                                                                                   \
    Sol cusolverDnCreate##name(void **out)                                                                             \
    {                                                                                                                  \
        return object_new(&parameters, out, &(Parameters){.sweeps = 100, .sort = 1}, sizeof(Parameters));              \
    }                                                                                                                  \
    Sol cusolverDnDestroy##name(void *p)                                                                               \
    {                                                                                                                  \
        return object_drop(&parameters, p);                                                                            \
    }
OBJECT(Params)
OBJECT(SyevjInfo)
OBJECT(GesvdjInfo)

Sol cusolverDnSetAdvOptions(void *p, int function, int algorithm)
{
    (void)function, (void)algorithm;
    return ww_cuda_library_has(&parameters, p) ? SOL_SUCCESS : SOL_INVALID_VALUE;
}

#define SETTINGS(method)                                                                                               \
    Sol cusolverDnX##method##SetTolerance(void *p, double tolerance)                                                   \
    {                                                                                                                  \
        if (!ww_cuda_library_has(&parameters, p))                                                                      \
            return SOL_INVALID_VALUE;                                                                                  \
        ((Parameters *)p)->tolerance = tolerance;                                                                      \
        return SOL_SUCCESS;                                                                                            \
    }                                                                                                                  \
    Sol cusolverDnX##method##SetMaxSweeps(void *p, int sweeps)                                                         \
    {                                                                                                                  \
        if (!ww_cuda_library_has(&parameters, p))                                                                      \
            return SOL_INVALID_VALUE;                                                                                  \
        ((Parameters *)p)->sweeps = sweeps;                                                                            \
        return SOL_SUCCESS;                                                                                            \
    }                                                                                                                  \
    Sol cusolverDnX##method##SetSortEig(void *p, int sort)                                                             \
    {                                                                                                                  \
        if (!ww_cuda_library_has(&parameters, p))                                                                      \
            return SOL_INVALID_VALUE;                                                                                  \
        ((Parameters *)p)->sort = sort; /* they are sorted */                                                          \
        return SOL_SUCCESS;                                                                                            \
    }                                                                                                                  \
    Sol cusolverDnX##method##GetResidual(void *handle, void *p, double *out)                                           \
    {                                                                                                                  \
        if (!handle_of(handle) || !ww_cuda_library_has(&parameters, p) || !out)                                        \
            return SOL_INVALID_VALUE;                                                                                  \
        *out = 0; /* of a direct method */                                                                             \
        return SOL_SUCCESS;                                                                                            \
    }                                                                                                                  \
    Sol cusolverDnX##method##GetSweeps(void *handle, void *p, int *out)                                                \
    {                                                                                                                  \
        if (!handle_of(handle) || !ww_cuda_library_has(&parameters, p) || !out)                                        \
            return SOL_INVALID_VALUE;                                                                                  \
        *out = 1;                                                                                                      \
        return SOL_SUCCESS;                                                                                            \
    }
SETTINGS(syevj)
SETTINGS(gesvdj)
