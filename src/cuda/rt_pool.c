/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: stream-ordered allocation and memory pools.  Each device has a default pool; pools keep account and attributes, and the
 * memory itself comes from the device as any other.  While a stream captures, the address is fixed when the node is made. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/devmem.h"
#include "cuda/stream.h"

enum {
    ATTRS              = 9,
    ATTR_THRESHOLD     = 4,
    ATTR_RESERVED      = 5,
    ATTR_RESERVED_HIGH = 6,
    ATTR_USED          = 7,
    ATTR_USED_HIGH     = 8,
    MAX_POOLS          = 64
};

typedef struct Pool {
    int      device;
    bool     own; /* made by the program */
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
        p->attr[ATTR_RESERVED] = p->attr[ATTR_USED];
    if (p->attr[ATTR_RESERVED] > p->attr[ATTR_RESERVED_HIGH])
        p->attr[ATTR_RESERVED_HIGH] = p->attr[ATTR_RESERVED];
}

static CuErr allocate(void **out, size_t bytes, Pool *p, void *stream)
{
    bool  captured;
    CuErr e = stream_use(stream, &captured);
    if (e != cudaSuccess || !out || !p)
        return e != cudaSuccess ? e : cudaErrorInvalidValue;
    int before = state_current();
    state_set_current(p->device);
    *out = NULL;
    e    = bytes ? devmem_new(MEMORY_DEVICE, bytes, 0, out) : cudaSuccess;
    state_set_current(before);
    if (e == cudaSuccess)
        account(p, (int64_t)bytes);
    if (e == cudaSuccess && captured)
        e = cgraph_capture_memory(stream, NODE_ALLOC, (NodeMemory){*out, bytes});
    return e;
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
    bool         captured;
    CuErr        e = stream_use(stream, &captured);
    const Range *r = devmem_range((uint64_t)(uintptr_t)p);
    if (e != cudaSuccess || !p)
        return LEAVE(e);
    if (captured)
        return LEAVE(cgraph_capture_memory(stream, NODE_FREE, (NodeMemory){p, 0}));
    if (r && r->base == (uint64_t)(uintptr_t)p)
        account(current_pool(r->device), -(int64_t)r->bytes);
    return LEAVE(devmem_free(p, MEMORY_DEVICE));
}

/* ---- pools ---- */

static CuErr give(void **out, int device, Pool *(*which)(int))
{
    if (device < 0 || device >= state.count)
        return cudaErrorInvalidDevice;
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
    if (!out || !props || props[3] < 0 || props[3] >= state.count)
        return LEAVE(cudaErrorInvalidValue);
    *out = pool_new(props[3], true);
    return LEAVE(*out ? cudaSuccess : cudaErrorMemoryAllocation);
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
    if (attr < ATTR_THRESHOLD)
        p->attr[attr] = (uint64_t) * (const int *)value;
    else
        memcpy(&p->attr[attr], value, sizeof(uint64_t));
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
