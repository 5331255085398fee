/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles: a cuBLAS handle is one too, but not the other way round.  They have no state here.  Versions, texts of statuses, logging (nothing is
 * logged), and the cache of heuristics, which only has a size. */
#include <stdlib.h>

#include "cuda/libraries/cublaslt/cublaslt.h"

enum {
    MINOR   = BLAS_MINOR(WW_CUBLASLT),
    PATCH   = BLAS_PATCH(WW_CUBLASLT),
    VERSION = WW_CUBLASLT * 10000 + MINOR * 100 + PATCH
};

static const char kind;

bool is_handle(const void *handle)
{
    return ww_cuda_library_has(&kind, handle) || ww_cuda_library_has(&ww_cuda_library_blas_handles, handle);
}

Lt cublasLtCreate(void **handle)
{
    if (!handle)
        return LT_INVALID_VALUE;
    if (!ww_cuda_library_wait(NULL)) /* what cannot use CUDA gets none */
        return LT_NOT_INITIALIZED;
    void *h = malloc(1);
    if (!h || ww_cuda_library_keep(&kind, h) < 0) {
        free(h);
        return LT_ALLOC_FAILED;
    }
    *handle = h;
    return LT_SUCCESS;
}

Lt cublasLtDestroy(void *handle)
{
    if (!ww_cuda_library_drop(&kind, handle))
        return LT_NOT_INITIALIZED;
    free(handle);
    return LT_SUCCESS;
}

size_t cublasLtGetVersion(void)
{
    return VERSION;
}

size_t cublasLtGetCudartVersion(void)
{
    return WW_CUBLASLT * 1000;
}

Lt cublasLtGetProperty(int type, int *value)
{
    if (!value || type < 0 || type > 2)
        return LT_INVALID_VALUE;
    *value = type == 0 ? WW_CUBLASLT : type == 1 ? MINOR : PATCH;
    return LT_SUCCESS;
}

static size_t capacity = 8192; /* entries */

Lt cublasLtHeuristicsCacheGetCapacity(size_t *out)
{
    if (!out)
        return LT_INVALID_VALUE;
    *out = capacity;
    return LT_SUCCESS;
}

Lt cublasLtHeuristicsCacheSetCapacity(size_t entries)
{
    capacity = entries;
    return LT_SUCCESS;
}

unsigned cublasLtDisableCpuInstructionsSetMask(unsigned mask)
{
    (void)mask;
    return 0;
}

static const struct {
    Lt          status;
    const char *name, *text;
} statuses[] = {
    {LT_SUCCESS, "CUBLAS_STATUS_SUCCESS", "success"},
    {LT_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {LT_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {LT_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an unsupported value or parameter was passed to the function"},
    {LT_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "the GPU program failed to execute"},
    {LT_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the functionality requested is not supported"},
};

const char *cublasLtGetStatusName(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if ((int)statuses[i].status == status)
            return statuses[i].name;
    return "CUBLAS_STATUS_UNKNOWN";
}

const char *cublasLtGetStatusString(int status)
{
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++)
        if ((int)statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

#define LOGGING(name, type)                                                                                            \
    Lt cublasLtLogger##name(type value)                                                                                \
    {                                                                                                                  \
        (void)value;                                                                                                   \
        return LT_SUCCESS;                                                                                             \
    }
LOGGING(SetCallback, void *)
LOGGING(SetFile, void *)
LOGGING(OpenFile, const char *)
LOGGING(SetLevel, int)
LOGGING(SetMask, int)

Lt cublasLtLoggerForceDisable(void)
{
    return LT_SUCCESS;
}
