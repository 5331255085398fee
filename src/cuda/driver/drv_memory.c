/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: memory, copies, streams and events.  Most differ from the runtime's in their names and in the type of a device address
 * only, so they go straight to them; addresses are numbers here. */
#include "base/sizes.h"
#include "cuda/driver/driver.h"
#include "cuda/memory/devmem.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"

/* The runtime's entry points that serve both. */
CuErr rt_cudaMalloc(void **out, size_t bytes);
CuErr rt_cudaMallocManaged(void **out, size_t bytes, unsigned flags);
CuErr rt_cudaHostAlloc(void **out, size_t bytes, unsigned flags);
CuErr rt_cudaFree(void *p);
CuErr rt_cudaFreeHost(void *p);
CuErr rt_cudaMemGetInfo(size_t *free_bytes, size_t *total);
CuErr rt_cudaHostRegister(void *p, size_t bytes, unsigned flags);
CuErr rt_cudaHostUnregister(void *p);
CuErr rt_cudaStreamCreateWithFlags(void **out, unsigned flags);
CuErr rt_cudaStreamDestroy(void *stream);
CuErr rt_cudaStreamSynchronize(void *stream);
CuErr rt_cudaStreamQuery(void *stream);
CuErr rt_cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
CuErr rt_cudaEventCreateWithFlags(void **out, unsigned flags);
CuErr rt_cudaEventDestroy(void *event);
CuErr rt_cudaEventRecord(void *event, void *stream);
CuErr rt_cudaEventSynchronize(void *event);
CuErr rt_cudaEventQuery(void *event);
CuErr rt_cudaEventElapsedTime(float *ms, void *from, void *to);
CuErr rt_cudaDeviceCanAccessPeer(int *can, int device, int other);
CuErr rt_cudaLaunchHostFunc(void *stream, void (*fn)(void *), void *user);

static void *at(WwPtr p)
{
    return (void *)(uintptr_t)p;
}

/* ---- allocation ---- */

CuErr drv_cuMemAlloc_v2(WwPtr *out, size_t bytes)
{
    ENTER_CTX();
    void *p = NULL;
    CuErr e = bytes && out ? rt_cudaMalloc(&p, bytes) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *out = (WwPtr)(uintptr_t)p;
    return e;
}

CuErr drv_cuMemAllocManaged(WwPtr *out, size_t bytes, unsigned flags)
{
    ENTER_CTX();
    void *p = NULL;
    CuErr e = bytes && out ? rt_cudaMallocManaged(&p, bytes, flags) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        *out = (WwPtr)(uintptr_t)p;
    return e;
}

CuErr drv_cuMemAllocPitch_v2(WwPtr *out, size_t *pitch, size_t width, size_t height, unsigned element)
{
    ENTER_CTX();
    if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16))
        return cudaErrorInvalidValue;
    *pitch  = size_up(width, 512);
    CuErr e = drv_cuMemAlloc_v2(out, size_mul(*pitch, height));
    return devmem_tell_rows(e, e == cudaSuccess ? (const void *)(uintptr_t)*out : NULL, *pitch, width);
}

/* A pointer names its context, so that none need be current (numba frees what is left when it has popped all of them). */
CuErr drv_cuMemFree_v2(WwPtr p)
{
    ENTER();
    state_in_driver = true;
    CuErr        e  = context_ready();
    const Range *r  = devmem_range(p);
    if (e == cudaErrorDeviceUninitialized && r && r->base == p)
        e = cudaSuccess;
    return e == cudaSuccess ? rt_cudaFree(at(p)) : e;
}

CuErr drv_cuMemAllocHost_v2(void **out, size_t bytes)
{
    ENTER_CTX();
    return rt_cudaHostAlloc(out, bytes, 0);
}

CuErr drv_cuMemHostAlloc(void **out, size_t bytes, unsigned flags)
{
    ENTER_CTX();
    return rt_cudaHostAlloc(out, bytes, flags);
}

CuErr drv_cuMemFreeHost(void *p)
{
    ENTER_CTX();
    return rt_cudaFreeHost(p);
}

CuErr drv_cuMemHostRegister_v2(void *p, size_t bytes, unsigned flags)
{
    ENTER_CTX();
    return rt_cudaHostRegister(p, bytes, flags);
}

CuErr drv_cuMemHostUnregister(void *p)
{
    ENTER_CTX();
    return rt_cudaHostUnregister(p);
}

CuErr drv_cuMemHostGetDevicePointer_v2(WwPtr *out, void *p, unsigned flags)
{
    ENTER_CTX();
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    if (!r || r->kind != MEMORY_HOST || flags || !out)
        return cudaErrorInvalidValue;
    *out = (WwPtr)(uintptr_t)p;
    return cudaSuccess;
}

CuErr drv_cuMemGetInfo_v2(size_t *free_bytes, size_t *total)
{
    ENTER_CTX();
    return rt_cudaMemGetInfo(free_bytes, total);
}

CuErr drv_cuMemGetAddressRange_v2(WwPtr *base, size_t *bytes, WwPtr p)
{
    ENTER_CTX();
    const Range *r = devmem_range(p);
    if (!r)
        return cudaErrorSymbolNotFound;
    if (base)
        *base = r->base;
    if (bytes)
        *bytes = r->bytes;
    return cudaSuccess;
}

/* ---- copies and sets ---- */

#define COPY(name, dst_type, src_type, dst_of, src_of, kind)                                                           \
    CuErr drv_##name##_v2(dst_type dst, src_type src, size_t bytes)                                                    \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        CuErr e = stream_settle(NULL);                                                                                 \
        return e != cudaSuccess ? e : devmem_copy(dst_of, src_of, bytes, kind);                                        \
    }                                                                                                                  \
    CuErr drv_##name##Async_v2(dst_type dst, src_type src, size_t bytes, void *stream)                                 \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        return stream_copy(dst_of, 0, src_of, 0, bytes, 1, kind, stream);                                              \
    }
COPY(cuMemcpyHtoD, WwPtr, const void *, at(dst), src, COPY_HOST_TO_DEVICE)
COPY(cuMemcpyDtoH, void *, WwPtr, dst, at(src), COPY_DEVICE_TO_HOST)
COPY(cuMemcpyDtoD, WwPtr, WwPtr, at(dst), at(src), COPY_DEVICE_TO_DEVICE)

CuErr drv_cuMemcpy(WwPtr dst, WwPtr src, size_t bytes)
{
    ENTER_CTX();
    CuErr e = stream_settle(NULL);
    return e != cudaSuccess ? e : devmem_copy(at(dst), at(src), bytes, COPY_DEFAULT);
}

CuErr drv_cuMemcpyAsync(WwPtr dst, WwPtr src, size_t bytes, void *stream)
{
    ENTER_CTX();
    return stream_copy(at(dst), 0, at(src), 0, bytes, 1, COPY_DEFAULT, stream);
}

#define SET(bits, type)                                                                                                \
    CuErr drv_cuMemsetD##bits##_v2(WwPtr dst, type value, size_t n)                                                    \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        return stream_set(at(dst), 0, value, bits / 8, n, 1, NULL);                                                    \
    }                                                                                                                  \
    CuErr drv_cuMemsetD##bits##Async(WwPtr dst, type value, size_t n, void *stream)                                    \
    {                                                                                                                  \
        ENTER();                                                                                                       \
        return stream_set(at(dst), 0, value, bits / 8, n, 1, stream);                                                  \
    }
SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)

/* Contexts tell only the devices, which the addresses tell too. */
CuErr drv_cuMemcpyPeer(WwPtr dst, void *to, WwPtr src, void *from, size_t bytes)
{
    (void)to, (void)from;
    ENTER_CTX();
    CuErr e = stream_settle(NULL);
    return e != cudaSuccess ? e : devmem_copy(at(dst), at(src), bytes, COPY_DEVICE_TO_DEVICE);
}

CuErr drv_cuMemcpyPeerAsync(WwPtr dst, void *to, WwPtr src, void *from, size_t bytes, void *stream)
{
    (void)to, (void)from;
    ENTER_CTX();
    return stream_copy(at(dst), 0, at(src), 0, bytes, 1, COPY_DEVICE_TO_DEVICE, stream);
}

/* ---- streams and events ---- */

CuErr drv_cuStreamCreate(void **out, unsigned flags)
{
    ENTER_CTX();
    return rt_cudaStreamCreateWithFlags(out, flags);
}

CuErr drv_cuStreamDestroy_v2(void *stream)
{
    ENTER_CTX();
    return rt_cudaStreamDestroy(stream);
}

CuErr drv_cuStreamSynchronize(void *stream)
{
    ENTER_CTX();
    return rt_cudaStreamSynchronize(stream);
}

CuErr drv_cuStreamQuery(void *stream)
{
    ENTER_CTX();
    return rt_cudaStreamQuery(stream);
}

CuErr drv_cuStreamWaitEvent(void *stream, void *event, unsigned flags)
{
    ENTER_CTX();
    return rt_cudaStreamWaitEvent(stream, event, flags);
}

CuErr drv_cuLaunchHostFunc(void *stream, void (*fn)(void *), void *user)
{
    return rt_cudaLaunchHostFunc(stream, fn, user);
}

CuErr drv_cuEventCreate(void **out, unsigned flags)
{
    ENTER_CTX();
    return rt_cudaEventCreateWithFlags(out, flags);
}

CuErr drv_cuEventDestroy_v2(void *event)
{
    ENTER_CTX();
    return rt_cudaEventDestroy(event);
}

CuErr drv_cuEventRecord(void *event, void *stream)
{
    ENTER_CTX();
    return rt_cudaEventRecord(event, stream);
}

CuErr drv_cuEventSynchronize(void *event)
{
    ENTER_CTX();
    return rt_cudaEventSynchronize(event);
}

/* Any thread may ask, host functions' too. */
CuErr drv_cuEventQuery(void *event)
{
    ENTER_STARTED();
    state_in_driver = true;
    return rt_cudaEventQuery(event);
}

CuErr drv_cuEventElapsedTime(float *ms, void *from, void *to)
{
    ENTER_CTX();
    return rt_cudaEventElapsedTime(ms, from, to);
}

CuErr drv_cuEventElapsedTime_v2(float *ms, void *from, void *to)
{
    ENTER_CTX();
    return rt_cudaEventElapsedTime(ms, from, to);
}

CuErr drv_cuDeviceCanAccessPeer(int *can, int device, int other)
{
    return rt_cudaDeviceCanAccessPeer(can, device, other);
}
