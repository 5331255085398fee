/* SPDX-License-Identifier: Apache-2.0
 *
 * cublasXt: handles.  Its products are those of level3.c, whose operands are the host's here (or a device's) and which wait.  How the work is
 * cut into tiles and shared out among devices changes no result. */
#include <stdlib.h>

#include "cuda/libraries/cublas/cublas.h"

Blas cublasXtCreate(void **handle)
{
    Blas b = cublasCreate_v2(handle);
    if (b == BLAS_SUCCESS) {
        Handle *h = *handle;
        h->host   = true;
        h->block  = 1024;
    }
    return b;
}

static Handle *xt_of(void *handle)
{
    Handle *h = handle_of(handle);
    return h && h->host ? h : NULL;
}

Blas cublasXtDestroy(void *handle)
{
    return xt_of(handle) ? cublasDestroy_v2(handle) : BLAS_NOT_INITIALIZED;
}

Blas cublasXtDeviceSelect(void *handle, int n, const int *devices)
{
    if (!xt_of(handle) || n < 1 || !devices)
        return xt_of(handle) ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    return BLAS_SUCCESS;
}

Blas cublasXtSetBlockDim(void *handle, int block)
{
    Handle *h = xt_of(handle);
    if (!h || block < 1)
        return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    h->block = block;
    return BLAS_SUCCESS;
}

Blas cublasXtGetBlockDim(void *handle, int *block)
{
    const Handle *h = xt_of(handle);
    if (!h || !block)
        return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    *block = h->block;
    return BLAS_SUCCESS;
}

Blas cublasXtSetPinningMemMode(void *handle, int mode)
{
    Handle *h = xt_of(handle);
    if (!h || mode < 0 || mode > 1)
        return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    h->pinning = mode;
    return BLAS_SUCCESS;
}

Blas cublasXtGetPinningMemMode(void *handle, int *mode)
{
    const Handle *h = xt_of(handle);
    if (!h || !mode)
        return h ? BLAS_INVALID_VALUE : BLAS_NOT_INITIALIZED;
    *mode = h->pinning;
    return BLAS_SUCCESS;
}

/* Everything is the host's part already. */
Blas cublasXtSetCpuRoutine(void *handle, int routine, int type, void *function)
{
    (void)routine, (void)type, (void)function;
    return xt_of(handle) ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

Blas cublasXtSetCpuRatio(void *handle, int routine, int type, float ratio)
{
    (void)routine, (void)type, (void)ratio;
    return xt_of(handle) ? BLAS_SUCCESS : BLAS_NOT_INITIALIZED;
}

/* Boards of several devices each; there are none here. */
Blas cublasXtGetNumBoards(int n, const int *devices, int *boards)
{
    if (n < 1 || !devices || !boards)
        return BLAS_INVALID_VALUE;
    *boards = n;
    return BLAS_SUCCESS;
}

Blas cublasXtMaxBoards(int *boards)
{
    if (!boards)
        return BLAS_INVALID_VALUE;
    *boards = ww_cuda_library_devices();
    return BLAS_SUCCESS;
}
