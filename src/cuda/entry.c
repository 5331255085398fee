/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver entry points by name, asked of the runtime: what programs use that do not link the driver. */
#include "cuda/device.h"
#include "cuda/driver.h"

CuErr drv_cuGetProcAddress_v2(const char *name, void **out, int version, uint64_t flags, int *found); /* drv_core.c */

CuErr rt_cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, unsigned long long flags,
                                          int *found)
{
    ENTER();
    return LEAVE(drv_cuGetProcAddress_v2(name, out, (int)version, flags, found));
}

CuErr rt_cudaGetDriverEntryPoint(const char *name, void **out, unsigned long long flags, int *found)
{
    return rt_cudaGetDriverEntryPointByVersion(name, out, DRIVER_VERSION, flags, found);
}

/* CUDA 11 has no status. */
CuErr rt_cudaGetDriverEntryPoint_11(const char *symbol, void **out, unsigned long long flags)
{
    return rt_cudaGetDriverEntryPoint(symbol, out, flags, NULL);
}

/* Tables of private functions, which NVIDIA's own libraries ask for by a number: there are none here, and they do without. */
CuErr drv_cuGetExportTable(const void **out, const void *id)
{
    if (!out || !id)
        return cudaErrorInvalidValue;
    *out = NULL;
    return cudaErrorInvalidValue;
}

CuErr rt_cudaGetExportTable(const void **out, const void *id)
{
    return drv_cuGetExportTable(out, id);
}
