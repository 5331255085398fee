/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: allocation, copies, sets, pointer attributes, pools.
 * Pinned memory is an allocation in the emulator's range, so it is mapped on every device; registered memory is adopted by them.
 * Pointers and managed memory: drv_pointer.c. */
#include <stdio.h>
#include <string.h>

#include "base/sizes.h"
#include "cuda/memory/array.h"
#include "cuda/memory/devmem.h"
#include "cuda/memory/ipc.h"
#include "cuda/runtime/properties.h"
#include "cuda/work/capture.h"
#include "cuda/work/graph.h"
#include "cuda/work/queue.h"
#include "cuda/work/work.h"
#include "emu/emu.h"

enum { PITCH = 512 };

static CuErr allocate(int kind, size_t bytes, unsigned flags, void **out)
{
    if (!out)
        return cudaErrorInvalidValue;
    if (!bytes) {
        *out = NULL;
        return cudaSuccess;
    }
    CuErr e = capture_unsafe();
    return e != cudaSuccess ? e : devmem_new(kind, bytes, flags, out);
}

CuErr rt_cudaMalloc(void **out, size_t bytes)
{
    ENTER();
    return LEAVE(allocate(MEMORY_DEVICE, bytes, 0, out));
}

CuErr rt_cudaMallocManaged(void **out, size_t bytes, unsigned flags)
{
    ENTER();
    if (flags != ATTACH_GLOBAL && flags != ATTACH_HOST)
        return LEAVE(cudaErrorInvalidValue);
    return LEAVE(allocate(MEMORY_MANAGED, bytes, flags, out));
}

CuErr rt_cudaMallocHost(void **out, size_t bytes)
{
    ENTER();
    return LEAVE(allocate(MEMORY_HOST, bytes, 0, out));
}

CuErr rt_cudaHostAlloc(void **out, size_t bytes, unsigned flags)
{
    ENTER();
    return LEAVE(flags > 7 ? cudaErrorInvalidValue : allocate(MEMORY_HOST, bytes, flags, out));
}

CuErr rt_cudaFree(void *p)
{
    if (state.collected &&
        state.sticky !=
            cudaSuccess) /* the framework frees in destructors, where an error would end the process before it tells it */
        return cudaSuccess;
    ENTER();
    CuErr e;
    if (!p && !state_device(state_current(), &e)) /* cudaFree(0) is the customary way to start the device */
        return LEAVE(e);
    e = p ? capture_unsafe() : cudaSuccess;
    if (e != cudaSuccess)
        return LEAVE(e);
    queue_settle_device(-1);
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    return LEAVE(r && r->imported && r->pool ? ipc_close(p) : devmem_free(p, MEMORY_DEVICE));
}

CuErr rt_cudaFreeHost(void *p)
{
    ENTER();
    CuErr e = p ? capture_unsafe() : cudaSuccess;
    if (e != cudaSuccess)
        return LEAVE(e);
    queue_settle_device(-1);
    return LEAVE(devmem_free(p, MEMORY_HOST));
}

CuErr rt_cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height)
{
    ENTER();
    if (!pitch)
        return LEAVE(cudaErrorInvalidValue);
    *pitch  = size_up(width, PITCH);
    CuErr e = allocate(MEMORY_DEVICE, size_mul(*pitch, height), 0, out);
    return LEAVE(devmem_tell_rows(e, e == cudaSuccess ? *out : NULL, *pitch, width));
}

CuErr rt_cudaMalloc3D(PitchedPtr *out, Extent e)
{
    ENTER();
    if (!out)
        return LEAVE(cudaErrorInvalidValue);
    *out      = (PitchedPtr){.pitch = size_up(e.width, PITCH), .xsize = e.width, .ysize = e.height};
    CuErr err = allocate(MEMORY_DEVICE, size_mul(size_mul(out->pitch, e.height), e.depth), 0, &out->ptr);
    return LEAVE(devmem_tell_rows(err, out->ptr, out->pitch, e.width));
}

CuErr rt_cudaMemGetInfo(size_t *free_bytes, size_t *total)
{
    ENTER();
    size_t used = devmem_used(state_current()) + array_used(state_current());
    if (total)
        *total = device_memory();
    if (free_bytes)
        *free_bytes = device_memory() > used ? device_memory() - used : 0;
    return LEAVE(cudaSuccess);
}

/* ---- host memory ---- */

/* Private memory without a file behind it, all of which may be read and written? */
static bool is_own_memory(uint64_t from, uint64_t to)
{
    char  line[256], may[5];
    FILE *f = fopen("/proc/self/maps", "re");
    while (f && from < to && fgets(line, sizeof line, f)) {
        unsigned long long first, last, inode;
        if (sscanf(line, "%llx-%llx %4s %*s %*s %llu", &first, &last, may, &inode) != 4 || from < first || from >= last)
            continue;
        if (strcmp(may, "rw-p") != 0 || inode || strstr(line, "[stack"))
            break;
        from = last;
    }
    if (f)
        fclose(f);
    return from >= to;
}

CuErr rt_cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    ENTER();
    uint64_t at = (uint64_t)(uintptr_t)p;
    CuErr    e  = cudaSuccess;
    if (!p || !bytes || flags > 15 || !size_fits(at, bytes))
        return LEAVE(cudaErrorInvalidValue);
    const Range *r = devmem_range(at);
    if (r || devmem_is_device(p))
        return LEAVE(r && r->registered ? cudaErrorHostMemoryAlreadyRegistered : cudaErrorInvalidValue);
    for (int i = 0; i < state.count && e == cudaSuccess; i++) {
        WwDevice *d = state_device(i, &e);
        if (d && emu_adopt(emulator_emu(d), at, bytes) != WW_OK)
            e = cudaErrorHostMemoryAlreadyRegistered;
    }
    if (e == cudaSuccess)
        devmem_note((Range){.base       = at,
                            .bytes      = bytes,
                            .kind       = MEMORY_HOST,
                            .device     = state_current(),
                            .flags      = flags,
                            .registered = true,
                            .closable   = state.options.check && is_own_memory(at, at + bytes)});
    return LEAVE(e);
}

CuErr rt_cudaHostUnregister(void *p)
{
    ENTER();
    uint64_t at = (uint64_t)(uintptr_t)p;
    queue_settle_device(-1);
    const Range *r = devmem_range(at);
    if (!r || !r->registered || r->base != at)
        return LEAVE(r ? cudaErrorInvalidValue : cudaErrorHostMemoryNotRegistered);
    for (int i = 0; i < state.count; i++)
        if (state.device[i])
            emu_disown(emulator_emu(state.device[i]), at);
    devmem_drop(at);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaHostGetDevicePointer(void **out, void *p, unsigned flags)
{
    ENTER();
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    if (!r || r->kind != MEMORY_HOST || flags || !out)
        return LEAVE(cudaErrorInvalidValue);
    *out = p;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaHostGetFlags(unsigned *flags, void *p)
{
    ENTER();
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    if (!r || r->kind != MEMORY_HOST || !flags)
        return LEAVE(cudaErrorInvalidValue);
    *flags = r->flags | 2;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaPointerGetAttributes(PointerAttributes *out, const void *p)
{
    ENTER();
    if (!out)
        return LEAVE(cudaErrorInvalidValue);
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    *out = (PointerAttributes){.type = MEMORY_UNREGISTERED, .device = -2, .host_pointer = (void *)(uintptr_t)p};
    if (r)
        *out = (PointerAttributes){.type           = r->kind,
                                   .device         = r->device,
                                   .device_pointer = (void *)(uintptr_t)p,
                                   .host_pointer   = r->kind == MEMORY_DEVICE ? NULL : (void *)(uintptr_t)p};
    else if (devmem_is_device(p))
        *out = (PointerAttributes){
            .type = MEMORY_DEVICE, .device = state_current(), .device_pointer = (void *)(uintptr_t)p};
    return LEAVE(cudaSuccess);
}

/* ---- copies ---- */

CuErr rt_cudaMemcpy(void *dst, const void *src, size_t bytes, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : devmem_copy(dst, src, bytes, kind));
}

CuErr rt_cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream)
{
    ENTER();
    return LEAVE(stream_copy(dst, 0, src, 0, bytes, 1, kind, stream));
}

CuErr rt_cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : devmem_copy_2d(dst, dpitch, src, spitch, width, height, kind));
}

CuErr rt_cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                           int kind, void *stream)
{
    ENTER();
    if (height > 1 && (dpitch < width || spitch < width))
        return LEAVE(cudaErrorInvalidPitchValue);
    return LEAVE(stream_copy(dst, dpitch, src, spitch, width, height, kind, stream));
}

static CuErr peer_copy(void *dst, int to, const void *src, int from, size_t bytes, void *stream)
{
    if (to < 0 || from < 0 || to >= state.count || from >= state.count)
        return cudaErrorInvalidDevice;
    return stream_copy(dst, 0, src, 0, bytes, 1, COPY_DEVICE_TO_DEVICE, stream);
}

CuErr rt_cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t bytes)
{
    ENTER();
    return LEAVE(peer_copy(dst, to, src, from, bytes, NULL));
}

CuErr rt_cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t bytes, void *stream)
{
    ENTER();
    return LEAVE(peer_copy(dst, to, src, from, bytes, stream));
}

/* ---- sets ---- */

CuErr rt_cudaMemset(void *p, int value, size_t bytes)
{
    ENTER();
    return LEAVE(stream_set(p, 0, (unsigned)value, 1, bytes, 1, NULL));
}

CuErr rt_cudaMemsetAsync(void *p, int value, size_t bytes, void *stream)
{
    ENTER();
    return LEAVE(stream_set(p, 0, (unsigned)value, 1, bytes, 1, stream));
}

CuErr rt_cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height)
{
    ENTER();
    return LEAVE(stream_set(p, pitch, (unsigned)value, 1, width, height, NULL));
}

CuErr rt_cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, void *stream)
{
    ENTER();
    return LEAVE(stream_set(p, pitch, (unsigned)value, 1, width, height, stream));
}

static CuErr set_3d(const PitchedPtr *p, int value, const Extent *e, void *stream)
{
    CuErr  err   = cudaSuccess;
    size_t slice = size_mul(p->ysize, p->pitch), rows = size_rows(p->pitch, e->height, e->width);
    if (!e->width || !e->height || !e->depth)
        return cudaSuccess;
    if (e->depth > 1 && (slice < rows || !size_fits((uint64_t)(uintptr_t)p->ptr, size_rows(slice, e->depth, rows))))
        return cudaErrorInvalidValue;
    for (size_t z = 0; z < e->depth && err == cudaSuccess; z++)
        err = stream_set((char *)p->ptr + z * slice, p->pitch, (unsigned)value, 1, e->width, e->height, stream);
    return err;
}

CuErr rt_cudaMemset3D(PitchedPtr p, int value, Extent e)
{
    ENTER();
    return LEAVE(set_3d(&p, value, &e, NULL));
}

CuErr rt_cudaMemset3DAsync(PitchedPtr p, int value, Extent e, void *stream)
{
    ENTER();
    return LEAVE(set_3d(&p, value, &e, stream));
}
