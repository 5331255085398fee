/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: stream-ordered allocation and memory pools.  Each device has a default pool; pools keep account
 * and attributes, and the memory itself comes from the device as any other.  While a stream captures, the address is
 * fixed when the node is made. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "cuda/memory/devmem.h"
#include "cuda/memory/ipc.h"
#include "cuda/work/capture.h"
#include "cuda/work/queue.h"
#include "cuda/work/sequence.h"
#include "cuda/work/work.h"
#include "emu/emu.h"

enum {
    HANDLE_FD          = 1, /* cudaMemHandleTypePosixFileDescriptor */
    ATTRS              = 9,
    ATTR_THRESHOLD     = 4,
    ATTR_RESERVED      = 5,
    ATTR_RESERVED_HIGH = 6,
    ATTR_USED          = 7,
    ATTR_USED_HIGH     = 8,
    MAX_POOLS          = 64,
    CHUNK              = 32 << 20 /* what a pool takes from the device at a time, as an H200 accounts for it */
};

typedef struct Pool {
    int      device;
    bool     own;    /* made by the program */
    bool     shares; /* was made for handles to other processes */
    bool     import; /* of another process: nothing can be allocated from it */
    int      fd;     /* what its shareable handle stands for; 0 = none was given out */
    unsigned access; /* devices besides its own, one bit each */
    uint64_t attr[ATTRS];
} Pool;

static Pool *pools[MAX_POOLS];
static Pool *current[MAX_DEVICES], *standard[MAX_DEVICES];

static Pool *pool_new(int device, bool own)
{
    for (size_t i = 0; i < MAX_POOLS; i++)
        if (!pools[i]) {
            pools[i]  = xcalloc(1, sizeof(Pool));
            *pools[i] = (Pool){.device = device, .own = own, .attr = {0, 1, 1, 1}};
            return pools[i];
        }
    return NULL;
}

static Pool *pool_of(void *handle)
{
    for (size_t i = 0; handle && i < MAX_POOLS; i++)
        if (pools[i] == handle)
            return handle;
    return NULL;
}

static Pool *default_pool(int n)
{
    if (!standard[n])
        standard[n] = pool_new(n, false);
    return standard[n];
}

static Pool *current_pool(int n)
{
    return current[n] ? current[n] : default_pool(n);
}

static void account(Pool *p, int64_t bytes)
{
    p->attr[ATTR_USED] += (uint64_t)bytes;
    if (p->attr[ATTR_USED] > p->attr[ATTR_USED_HIGH])
        p->attr[ATTR_USED_HIGH] = p->attr[ATTR_USED];
    if (p->attr[ATTR_USED] > p->attr[ATTR_RESERVED])
        p->attr[ATTR_RESERVED] = (p->attr[ATTR_USED] + CHUNK - 1) / CHUNK * CHUNK;
    if (p->attr[ATTR_RESERVED] > p->attr[ATTR_RESERVED_HIGH])
        p->attr[ATTR_RESERVED_HIGH] = p->attr[ATTR_RESERVED];
}

/* Lets the other devices that have access to the pool reach an allocation of it. */
static void grant(const Pool *p, void *at, size_t bytes)
{
    for (int i = 0; i < state.count; i++)
        if (i != p->device && (p->access & (1u << i)) && state.device[i])
            emu_adopt(emulator_emu(state.device[i]), (uint64_t)(uintptr_t)at, bytes);
}

static CuErr allocate(void **out, size_t bytes, Pool *p, void *stream)
{
    const Stream *s        = stream_of(stream);
    bool          captured = s && s->capture;
    if (!s || !out || !p || p->import)
        return s ? cudaErrorInvalidValue : stream_error(stream);
    *out    = NULL;
    CuErr e = capture_check(s);
    if (e != cudaSuccess)
        return e;
    int before = state_current();
    state_set_current(p->device);
    e = bytes ? devmem_new(MEMORY_DEVICE, bytes, 0, out) : cudaSuccess;
    state_set_current(before);
    if (e == cudaSuccess && bytes && !captured) {
        devmem_entry((uint64_t)(uintptr_t)*out)->pool = p;
        account(p, (int64_t)bytes);
        grant(p, *out, bytes);
    }
    GraphNode n = {.kind = NODE_ALLOC, .memory = {*out, bytes, !captured}};
    return e == cudaSuccess && (bytes || captured) ? stream_do(stream, &n) : e;
}

CuErr rt_cudaMallocAsync(void **out, size_t bytes, void *stream)
{
    ENTER();
    return LEAVE(allocate(out, bytes, current_pool(state_current()), stream));
}

CuErr rt_cudaMallocFromPoolAsync(void **out, size_t bytes, void *pool, void *stream)
{
    ENTER();
    return LEAVE(allocate(out, bytes, pool_of(pool), stream));
}

CuErr rt_cudaFreeAsync(void *p, void *stream)
{
    ENTER();
    const Stream *on       = stream_of(stream);
    bool          captured = on && on->capture;
    CuErr         e        = !on ? stream_error(stream) : p ? capture_check(on) : cudaSuccess;
    const Range  *r        = devmem_range((uint64_t)(uintptr_t)p);
    if (e != cudaSuccess || !p)
        return LEAVE(e);
    GraphNode n = {.kind = NODE_FREE, .memory = {p, 0, !captured}};
    if (captured)
        return LEAVE(stream_do(stream, &n));
    if (r && r->base == (uint64_t)(uintptr_t)p && pool_of(r->pool))
        account(r->pool, -(int64_t)r->bytes);
    if (r && r->imported)
        return LEAVE(ipc_close(p));
    return LEAVE(stream_do(stream, &n));
}

/* ---- pools ---- */

static CuErr give(void **out, int device, Pool *(*which)(int))
{
    if (!out || device < 0 || device >= state.count)
        return out ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    *out = which(device);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

CuErr rt_cudaDeviceGetDefaultMemPool(void **out, int device)
{
    ENTER();
    return LEAVE(give(out, device, default_pool));
}

CuErr rt_cudaDeviceGetMemPool(void **out, int device)
{
    ENTER();
    return LEAVE(give(out, device, current_pool));
}

CuErr rt_cudaDeviceSetMemPool(int device, void *pool)
{
    ENTER();
    Pool *p = pool_of(pool);
    if (device < 0 || device >= state.count || !p)
        return LEAVE(p ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
    current[device] = p;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaMemPoolCreate(void     **out,
                           const int *props) /* allocation type, handle types, location type, location id, ... */
{
    ENTER();
    if (!out || !props || props[0] != ALLOCATION_PINNED || props[2] != LOCATION_DEVICE || props[3] < 0 ||
        props[3] >= state.count)
        return LEAVE(cudaErrorInvalidValue);
    if (props[1] & ~HANDLE_FD)
        return LEAVE(cudaErrorNotSupported);
    Pool *p = pool_new(props[3], true);
    if (p)
        p->shares = props[1] == HANDLE_FD;
    *out = p;
    return LEAVE(p ? cudaSuccess : cudaErrorMemoryAllocation);
}

CuErr rt_cudaMemPoolDestroy(void *pool)
{
    ENTER();
    for (size_t i = 0; i < MAX_POOLS; i++)
        if (pools[i] == pool && pool && pools[i]->own) {
            if (current[pools[i]->device] == pools[i])
                current[pools[i]->device] = NULL;
            free(pools[i]);
            pools[i] = NULL;
            return LEAVE(cudaSuccess);
        }
    return LEAVE(cudaErrorInvalidValue);
}

CuErr rt_cudaMemPoolSetAttribute(void *pool, int attr, const void *value)
{
    ENTER();
    Pool *p = pool_of(pool);
    if (!p || attr < 1 || attr >= ATTRS || !value)
        return LEAVE(cudaErrorInvalidValue);
    if (attr == ATTR_RESERVED || attr == ATTR_USED || (attr > ATTR_THRESHOLD && *(const uint64_t *)value))
        return LEAVE(cudaErrorInvalidValue); /* the high-water marks can be reset, nothing else */
    if (attr < ATTR_THRESHOLD)
        p->attr[attr] = (uint64_t) * (const int *)value;
    else if (attr == ATTR_THRESHOLD)
        memcpy(&p->attr[attr], value, sizeof(uint64_t));
    else
        p->attr[attr] = p->attr[attr - 1];
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaMemPoolGetAttribute(void *pool, int attr, void *value)
{
    ENTER();
    Pool *p = pool_of(pool);
    if (!p || attr < 1 || attr >= ATTRS || !value)
        return LEAVE(cudaErrorInvalidValue);
    if (attr < ATTR_THRESHOLD)
        *(int *)value = (int)p->attr[attr];
    else
        memcpy(value, &p->attr[attr], sizeof(uint64_t));
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaMemPoolTrimTo(void *pool, size_t keep)
{
    ENTER();
    Pool *p = pool_of(pool);
    if (p && p->attr[ATTR_RESERVED] > keep)
        p->attr[ATTR_RESERVED] = p->attr[ATTR_USED] > keep ? p->attr[ATTR_USED] : keep;
    return LEAVE(p ? cudaSuccess : cudaErrorInvalidValue);
}

/* ---- access and other processes ---- */

typedef struct AccessDesc { /* cudaMemAccessDesc */
    int location_type, location_id, flags;
} AccessDesc;

CuErr rt_cudaMemPoolSetAccess(void *pool, const AccessDesc *list, size_t n)
{
    ENTER();
    Pool *p = pool_of(pool);
    if (!p || (n && !list))
        return LEAVE(cudaErrorInvalidValue);
    for (size_t i = 0; i < n; i++) {
        int   d = list[i].location_id;
        CuErr e;
        if (list[i].location_type != LOCATION_DEVICE || d < 0 || d >= state.count)
            return LEAVE(cudaErrorInvalidDevice);
        if (d == p->device && list[i].flags == 0)
            return LEAVE(cudaErrorInvalidDevice); /* its own device cannot lose it */
        if (!state_device(d, &e))
            return LEAVE(e);
        p->access = list[i].flags ? p->access | 1u << d : p->access & ~(1u << d);
        devmem_share_pool(p, d, list[i].flags != 0);
    }
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaMemPoolGetAccess(int *flags, void *pool, const int *location)
{
    ENTER();
    const Pool *p = pool_of(pool);
    if (!p || !flags || !location || location[0] != 1 || location[1] < 0 || location[1] >= state.count)
        return LEAVE(cudaErrorInvalidValue);
    *flags = location[1] == p->device || (p->access & (1u << location[1])) ? 3 : 0;
    return LEAVE(cudaSuccess);
}

/* The descriptor names nothing but itself: pointers carry all that another process needs. */
CuErr rt_cudaMemPoolExportToShareableHandle(void *out, void *pool, int type, unsigned flags)
{
    ENTER();
    Pool *p = pool_of(pool);
    if (!p || !out || type != HANDLE_FD || flags || !p->shares)
        return LEAVE(cudaErrorInvalidValue);
    if (!p->fd)
        p->fd = ipc_file_new(IPC_FILE_POOL);
    int fd = p->fd > 0 ? dup(p->fd) : -1;
    if (fd < 0)
        return LEAVE(cudaErrorOperatingSystem);
    memcpy(out, &fd, sizeof fd);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaMemPoolImportFromShareableHandle(void **out, void *handle, int type, unsigned flags)
{
    ENTER();
    if (!out || type != HANDLE_FD || flags)
        return LEAVE(cudaErrorInvalidValue);
    CuErr e = ipc_file_check((int)(intptr_t)handle, IPC_FILE_POOL);
    if (e != cudaSuccess)
        return LEAVE(e);
    Pool *p = pool_new(state_current(), true);
    if (p)
        p->import = true;
    *out = p;
    return LEAVE(p ? cudaSuccess : cudaErrorMemoryAllocation);
}

CuErr rt_cudaMemPoolExportPointer(IpcHandle *out, void *at)
{
    ENTER();
    const Range *r = devmem_range((uint64_t)(uintptr_t)at);
    const Pool  *p = r ? pool_of(r->pool) : NULL;
    return LEAVE(out && p && p->shares ? ipc_share(at, out) : cudaErrorInvalidValue);
}

CuErr rt_cudaMemPoolImportPointer(void **out, void *pool, const IpcHandle *h)
{
    ENTER();
    Pool *p = pool_of(pool);
    CuErr e = out && h && p && p->import ? ipc_open(h, out) : cudaErrorInvalidValue;
    if (e == cudaSuccess)
        devmem_entry((uint64_t)(uintptr_t)*out)->pool = p; /* such pointers are freed as any other */
    return LEAVE(e);
}

/* ---- by location (CUDA 13) ---- */

static CuErr located(void **out, const int *location, int type, Pool *(*which)(int))
{
    if (!out || !location || type != ALLOCATION_PINNED || location[0] != LOCATION_DEVICE)
        return location && location[0] != LOCATION_DEVICE ? cudaErrorNotSupported : cudaErrorInvalidValue;
    return give(out, location[1], which);
}

CuErr rt_cudaMemGetDefaultMemPool(void **out, const int *location, int type)
{
    ENTER();
    return LEAVE(located(out, location, type, default_pool));
}

CuErr rt_cudaMemGetMemPool(void **out, const int *location, int type)
{
    ENTER();
    return LEAVE(located(out, location, type, current_pool));
}

CuErr rt_cudaMemSetMemPool(const int *location, int type, void *pool)
{
    void *old;
    CuErr e = located(&old, location, type, current_pool);
    return e == cudaSuccess ? rt_cudaDeviceSetMemPool(location[1], pool) : state_leave(e);
}
