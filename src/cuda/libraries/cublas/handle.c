/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles.  Modes are kept and answered; they change no result here: there are no tensor cores to allow, no atomics to forbid, no workspace to fill. */
#include <stdio.h>
#include <stdlib.h>

#include "cuda/libraries/cublas/cublas.h"

enum {
    MINOR   = BLAS_MINOR(WW_CUBLAS),
    PATCH   = BLAS_PATCH(WW_CUBLAS),
    VERSION = WW_CUBLAS * 10000 + MINOR * 100 + PATCH
};

Handle *handle_of(void *handle)
{
    return ww_cuda_library_has(&ww_cuda_library_blas_handles, handle) ? handle : NULL;
}

Blas cublasCreate_v2(void **handle)
{
    if (!handle)
        return BLAS_INVALID_VALUE;
    if (!ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return BLAS_NOT_INITIALIZED;
    Handle *h = calloc(1, sizeof *h);
    if (h)
        h->special = 0xffff; /* as documented: infinities and NaN are kept */
    if (!h || ww_cuda_library_keep(&ww_cuda_library_blas_handles, h) < 0) {
        free(h);
        return BLAS_ALLOC_FAILED;
    }
    *handle = h;
    return BLAS_SUCCESS;
}

Blas cublasDestroy_v2(void *handle)
{
    Handle *h = handle_of(handle);
    if (!h)
        return BLAS_NOT_INITIALIZED;
    bool ok = ww_cuda_library_wait(h->stream);
    ww_cuda_library_drop(&ww_cuda_library_blas_handles, h);
    free(h);
    return ok ? BLAS_SUCCESS : BLAS_EXECUTION_FAILED;
}

Blas cublasGetVersion_v2(void *handle, int *version)
{
    (void)handle; /* NULL is fine */
    if (!version)
        return BLAS_INVALID_VALUE;
    *version = VERSION;
    return BLAS_SUCCESS;
}

Blas cublasGetProperty(int type, int *value)
{
    if (!value || type < 0 || type > 2)
        return BLAS_INVALID_VALUE;
    *value = type == 0 ? WW_CUBLAS : type == 1 ? MINOR : PATCH;
    return BLAS_SUCCESS;
}

size_t cublasGetCudartVersion(void)
{
    return WW_CUBLAS * 1000;
}

Blas cublasSetStream_v2(void *handle, void *stream)
{
    Handle *h = handle_of(handle);
    if (!h)
        return BLAS_NOT_INITIALIZED;
    h->stream    = stream;
    h->workspace = NULL; /* the library's own again */
    return BLAS_SUCCESS;
}

Blas cublasGetStream_v2(void *handle, void **stream)
{
    Handle *h = handle_of(handle);
    if (!h || !stream)
        return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    *stream = h->stream;
    return BLAS_SUCCESS;
}

Blas cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes)
{
    Handle *h = handle_of(handle);
    if (!h || (bytes && !workspace) || (uintptr_t)workspace % 256)
        return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    h->workspace       = workspace;
    h->workspace_bytes = bytes;
    return BLAS_SUCCESS;
}

/* A mode: a member, and the greatest value it may have (less than 0 is none; -1: any, -2: any and less than 0 too). */
#define MODE(name, member, most)                                                                                       \
    Blas cublasSet##name(void *handle, int mode)                                                                       \
    {                                                                                                                  \
        Handle *h = handle_of(handle);                                                                                 \
        if (!h || (mode < 0 && (most) > -2) || ((most) >= 0 && mode > (most)))                                         \
            return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;                                                      \
        h->member = mode;                                                                                              \
        return BLAS_SUCCESS;                                                                                           \
    }                                                                                                                  \
    Blas cublasGet##name(void *handle, int *mode)                                                                      \
    {                                                                                                                  \
        Handle *h = handle_of(handle);                                                                                 \
        if (!h || !mode)                                                                                               \
            return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;                                                      \
        *mode = h->member;                                                                                             \
        return BLAS_SUCCESS;                                                                                           \
    }
MODE(PointerMode_v2, pointer, POINTER_DEVICE)
MODE(MathMode, math, -1)
MODE(AtomicsMode, atomics, 1)
MODE(SmCountTarget, sms, -1)
MODE(EmulationStrategy, emulation, 2)
MODE(EmulationSpecialValuesSupport, special, 0xffff)
MODE(FixedPointEmulationMantissaControl, mantissa, 1)
MODE(FixedPointEmulationMaxMantissaBitCount, mantissa_most, -1)
MODE(FixedPointEmulationMantissaBitOffset, mantissa_offset, -2)

/* Where an emulated product would tell how many bits it kept: nothing is emulated so, and nothing written. */
Blas cublasSetFixedPointEmulationMantissaBitCountPointer(void *handle, int *count)
{
    Handle *h = handle_of(handle);
    if (h)
        h->mantissa_count = count;
    return h ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

Blas cublasGetFixedPointEmulationMantissaBitCountPointer(void *handle, int **count)
{
    const Handle *h = handle_of(handle);
    if (!h || !count)
        return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    *count = h->mantissa_count;
    return BLAS_SUCCESS;
}

Blas cublasGetVersion(int *version)
{
    return cublasGetVersion_v2(NULL, version);
}

/* What a BLAS says of a wrong argument. */
void cublasXerbla(const char *name, int info)
{
    fprintf(stderr, " ** On entry to %s parameter number %d had an illegal value\n", name ? name : "?", info);
}

/* ---- texts ---- */

static const struct {
    Blas        status;
    const char *name, *text;
} statuses[] = {
    {BLAS_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {BLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {BLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {BLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {BLAS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "a feature that the device lacks is needed"},
    {BLAS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "an access to GPU memory space failed"},
    {BLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
    {BLAS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {BLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"},
    {BLAS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "an error was found when checking the license"},
};

const char *cublasGetStatusName(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if ((int)statuses[i].status == status)
            return statuses[i].name;
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasGetStatusString(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if ((int)statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

/* ---- logging: nothing is logged ---- */

Blas cublasLoggerConfigure(int on, int to_stdout, int to_stderr, const char *file)
{
    (void)on, (void)to_stdout, (void)to_stderr, (void)file;
    return BLAS_SUCCESS;
}

Blas cublasSetLoggerCallback(void *callback)
{
    (void)callback;
    return BLAS_SUCCESS;
}

Blas cublasGetLoggerCallback(void **callback)
{
    if (!callback)
        return BLAS_INVALID_VALUE;
    *callback = NULL;
    return BLAS_SUCCESS;
}
