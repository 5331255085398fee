/* SPDX-License-Identifier: Apache-2.0
 *
 * libnvToolsExt.so.1, the library that NVTX was before it became a header.  What says something of ranges goes to entry/nvtx.c; marks, names and
 * resources are taken and forgotten. */
#include <stdint.h>
#include <wchar.h>

#define NVTX(table, number, result, name, parameters, arguments)                                                       \
    result ww_cuda_nvtx_##name parameters;                                                                             \
    result nvtx##name parameters;                                                                                      \
    result nvtx##name parameters                                                                                       \
    {                                                                                                                  \
        return ww_cuda_nvtx_##name arguments;                                                                          \
    }
#include "cuda/process/nvtx.def"
#undef NVTX

/* name, what it returns */
#define FORGOTTEN(name, result, value)                                                                                 \
    result name(void);                                                                                                 \
    result name(void)                                                                                                  \
    {                                                                                                                  \
        return value;                                                                                                  \
    }
#define NOTHING(name)                                                                                                  \
    void name(void);                                                                                                   \
    void name(void) {}

NOTHING(nvtxInitialize)
NOTHING(nvtxMarkEx)
NOTHING(nvtxMarkA)
NOTHING(nvtxMarkW)
NOTHING(nvtxNameCategoryA)
NOTHING(nvtxNameCategoryW)
NOTHING(nvtxNameOsThreadA)
NOTHING(nvtxNameOsThreadW)
NOTHING(nvtxDomainMarkEx)
NOTHING(nvtxDomainResourceDestroy)
NOTHING(nvtxDomainNameCategoryA)
NOTHING(nvtxDomainNameCategoryW)
NOTHING(nvtxDomainDestroy)
NOTHING(nvtxDomainSyncUserDestroy)
NOTHING(nvtxDomainSyncUserAcquireStart)
NOTHING(nvtxDomainSyncUserAcquireFailed)
NOTHING(nvtxDomainSyncUserAcquireSuccess)
NOTHING(nvtxDomainSyncUserReleasing)
NOTHING(nvtxNameCuDeviceA)
NOTHING(nvtxNameCuDeviceW)
NOTHING(nvtxNameCuContextA)
NOTHING(nvtxNameCuContextW)
NOTHING(nvtxNameCuStreamA)
NOTHING(nvtxNameCuStreamW)
NOTHING(nvtxNameCuEventA)
NOTHING(nvtxNameCuEventW)
NOTHING(nvtxNameCudaDeviceA)
NOTHING(nvtxNameCudaDeviceW)
NOTHING(nvtxNameCudaStreamA)
NOTHING(nvtxNameCudaStreamW)
NOTHING(nvtxNameCudaEventA)
NOTHING(nvtxNameCudaEventW)
FORGOTTEN(nvtxDomainResourceCreate, void *, 0)
FORGOTTEN(nvtxDomainSyncUserCreate, void *, 0)
