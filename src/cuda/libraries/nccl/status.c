/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts and versions, memory, and what changes nothing where ranks share memory anyway: registered buffers. */
#include "cuda/libraries/nccl/nccl.h"

enum { VERSION = 22809 }; /* of the interface */

static const char *const texts[] = {
    [NCCL_SUCCESS]              = "no error",
    [NCCL_UNHANDLED_CUDA_ERROR] = "a call of CUDA failed",
    [NCCL_SYSTEM_ERROR]         = "a call of the system failed",
    [NCCL_INTERNAL_ERROR]       = "internal error",
    [NCCL_INVALID_ARGUMENT]     = "invalid argument",
    [NCCL_INVALID_USAGE]        = "invalid usage: ranks do not agree, or a rank was taken twice",
    [NCCL_REMOTE_ERROR]         = "another rank has ended or was aborted",
    [NCCL_IN_PROGRESS]          = "in progress",
};

const char *ncclGetErrorString(int result)
{
    return result >= 0 && result < (int)(sizeof texts / sizeof *texts) ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(void *comm)
{
    Comm *c = comm_of(comm);
    return c && atomic_load(&c->error) ? ncclGetErrorString(atomic_load(&c->error)) : "";
}

Nccl ncclGetVersion(int *version)
{
    if (!version)
        return NCCL_INVALID_ARGUMENT;
    *version = VERSION;
    return NCCL_SUCCESS;
}

Nccl ncclMemAlloc(void **out, size_t bytes)
{
    if (!out)
        return NCCL_INVALID_ARGUMENT;
    return ww_cuda_library_allocate(out, bytes) ? NCCL_SUCCESS : NCCL_UNHANDLED_CUDA_ERROR;
}

Nccl ncclMemFree(void *p)
{
    return ww_cuda_library_free(p) ? NCCL_SUCCESS : NCCL_UNHANDLED_CUDA_ERROR;
}

Nccl ncclCommRegister(void *comm, void *at, size_t bytes, void **handle)
{
    (void)bytes;
    if (!comm_of(comm) || !at || !handle)
        return NCCL_INVALID_ARGUMENT;
    *handle = at;
    return NCCL_SUCCESS;
}

Nccl ncclCommDeregister(void *comm, void *handle)
{
    (void)handle;
    return comm_of(comm) ? NCCL_SUCCESS : NCCL_INVALID_ARGUMENT;
}

/* There is no log. */
void ncclResetDebugInit(void) {}

#define MISSING(name)                                                                                                  \
    Nccl name(void)                                                                                                    \
    {                                                                                                                  \
        ww_cuda_library_missing(#name);                                                                                \
        return NCCL_INVALID_USAGE;                                                                                     \
    }
MISSING(ncclCommShrink)
MISSING(ncclCommWindowRegister)
MISSING(ncclCommWindowDeregister)
MISSING(ncclGroupSimulateEnd)
MISSING(ncclDevCommCreate)
MISSING(ncclDevCommDestroy)
