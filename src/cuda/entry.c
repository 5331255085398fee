/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver entry points by name, asked of the runtime: what programs use that do not link the driver. */
#include "cuda/driver.h"
#include "cuda/state.h"

enum { FOUND, NOT_FOUND };

CuErr drv_cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found); /* drv_core.c */

CuErr rt_cudaGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags, int *status)
{
    ENTER();
    int found = FOUND;
    if (!symbol || !out)
        return LEAVE(cudaErrorInvalidValue);
    drv_cuGetProcAddress_v2(symbol, out, 0, flags, &found);
    if (status)
        *status = found == FOUND ? FOUND : NOT_FOUND;
    return LEAVE(found == FOUND || status ? cudaSuccess : cudaErrorSymbolNotFound);
}

CuErr rt_cudaGetDriverEntryPointByVersion(const char *symbol, void **out, unsigned version, unsigned long long flags,
                                          int *status)
{
    (void)version; /* an entry point that exists is the same for every version */
    return rt_cudaGetDriverEntryPoint(symbol, out, flags, status);
}

/* CUDA 11 has no status. */
CuErr rt_cudaGetDriverEntryPoint_11(const char *symbol, void **out, unsigned long long flags)
{
    return rt_cudaGetDriverEntryPoint(symbol, out, flags, NULL);
}
