/* SPDX-License-Identifier: Apache-2.0
 *
 * What the interfaces say of an address: attributes of pointers, and advice for managed memory with what became of it.
 * Advice and prefetching move nothing, because host and device share their memory; they are remembered and answered. */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/memory/devmem.h"
#include "cuda/runtime/properties.h"
#include "cuda/work/stream.h"

enum { /* CUpointer_attribute */
       P_CONTEXT = 1,
       P_MEMORY_TYPE,
       P_DEVICE_POINTER,
       P_HOST_POINTER,
       P_P2P_TOKENS,
       P_SYNC_MEMOPS,
       P_BUFFER_ID,
       P_IS_MANAGED,
       P_DEVICE_ORDINAL,
       P_IPC_CAPABLE,
       P_RANGE_START,
       P_RANGE_SIZE,
       P_MAPPED,
       P_HANDLE_TYPES,
       P_RDMA_CAPABLE,
       P_ACCESS_FLAGS,
       P_POOL,
       P_MAPPING_SIZE,
       P_MAPPING_BASE,
       P_BLOCK_ID,
       P_HW_DECOMPRESS
};
enum { DRIVER_HOST = 1, DRIVER_DEVICE = 2 }; /* CUmemorytype */

enum { /* cudaMemoryAdvise */
       ADVISE_READ_MOSTLY = 1,
       UNADVISE_READ_MOSTLY,
       ADVISE_PREFERRED,
       UNADVISE_PREFERRED,
       ADVISE_ACCESSED_BY,
       UNADVISE_ACCESSED_BY
};

enum { /* cudaMemRangeAttribute */
       RANGE_READ_MOSTLY = 1,
       RANGE_PREFERRED,
       RANGE_ACCESSED_BY,
       RANGE_PREFETCHED,
       RANGE_PREFERRED_KIND, /* of location; its number */
       RANGE_PREFERRED_NUMBER,
       RANGE_PREFETCHED_KIND,
       RANGE_PREFETCHED_NUMBER
};

/* ---- pointers ---- */

static CuErr put(void *out, uint64_t value, size_t bytes)
{
    memcpy(out, &value, bytes);
    return cudaSuccess;
}

/* The context that owns it; a pool's memory and that of an ended context are the device's. */
static void *owner(const Range *r)
{
    bool own = !r->pool && context_known(r->context) && ((const Context *)r->context)->device == r->device;
    return own ? r->context : context_primary(r->device);
}

/* r NULL: an address that is unknown. */
static CuErr attribute(void *out, int which, const Range *r, uint64_t p)
{
    bool host = r && r->kind == MEMORY_HOST;
    switch (which) {
    case P_CONTEXT: return put(out, r ? (uint64_t)(uintptr_t)owner(r) : 0, 8);
    case P_MEMORY_TYPE: return put(out, !r ? 0 : host ? DRIVER_HOST : DRIVER_DEVICE, 4);
    case P_DEVICE_POINTER: return put(out, r ? p : 0, 8);
    case P_HOST_POINTER: /* memory of the device alone has none */
        return !r || r->kind != MEMORY_DEVICE ? put(out, r ? p : 0, 8) : cudaErrorInvalidValue;
    case P_SYNC_MEMOPS: return put(out, r && r->sync_memops, 4);
    case P_BUFFER_ID: return put(out, r ? r->id : 0, 8);
    case P_IS_MANAGED: return put(out, r && r->kind == MEMORY_MANAGED, 4);
    case P_DEVICE_ORDINAL: return put(out, r ? (uint64_t)(uint32_t)r->device : (uint32_t)DEVICE_NONE, 4);
    case P_IPC_CAPABLE: return put(out, r && r->kind == MEMORY_DEVICE && !r->mapped && !r->pool, 4);
    case P_RANGE_START: return put(out, r ? r->base : 0, 8);
    case P_RANGE_SIZE: return put(out, r ? r->bytes : 0, 8);
    case P_MAPPED: return put(out, r != NULL, 4);
    case P_HANDLE_TYPES: return put(out, r && r->mapped, 8);
    case P_RDMA_CAPABLE: return put(out, 0, 4);
    case P_ACCESS_FLAGS: return put(out, r ? 3 : 0, 4);
    case P_POOL: return put(out, r ? (uint64_t)(uintptr_t)r->pool : 0, 8);
    case P_MAPPING_SIZE: return put(out, r && r->mapped ? r->bytes : 0, 8);
    case P_MAPPING_BASE: return put(out, r && r->mapped ? r->base : 0, 8);
    case P_BLOCK_ID: return put(out, r ? r->id : 0, 8);
    case P_HW_DECOMPRESS: return put(out, 0, 4);
    default: return cudaErrorInvalidValue;
    }
}

CuErr drv_cuPointerGetAttribute(void *out, int which, WwPtr p)
{
    ENTER_CTX();
    const Range *r = devmem_range(p);
    return out && r ? attribute(out, which, r, p) : cudaErrorInvalidValue;
}

CuErr drv_cuPointerGetAttributes(unsigned n, const int *which, void **out, WwPtr p)
{
    ENTER_CTX();
    const Range *r = devmem_range(p);
    CuErr        e = which && out ? cudaSuccess : cudaErrorInvalidValue;
    for (unsigned i = 0; e == cudaSuccess && i < n; i++)
        e = attribute(out[i], which[i], r, p);
    return e;
}

CuErr drv_cuPointerSetAttribute(const void *value, int which, WwPtr p)
{
    ENTER_CTX();
    Range *r = devmem_entry(p);
    if (!r || !value || which != P_SYNC_MEMOPS)
        return cudaErrorInvalidValue;
    r->sync_memops = *(const unsigned *)value != 0;
    return cudaSuccess;
}

/* ---- managed memory ---- */

static Range *managed(const void *p, size_t bytes)
{
    uint64_t at = (uint64_t)(uintptr_t)p;
    Range   *r  = devmem_entry(at);
    return r && r->kind == MEMORY_MANAGED && bytes && bytes <= r->base + r->bytes - at ? r : NULL;
}

/* A cudaMemLocation, passed by value: type in the low half, number in the high one. */
static bool device_of(uint64_t location, int *device)
{
    int type = (int)(uint32_t)location, id = (int)(uint32_t)(location >> 32);
    *device = type == LOCATION_DEVICE ? id : DEVICE_HOST;
    return type >= LOCATION_DEVICE && type <= LOCATION_LAST &&
           (type != LOCATION_DEVICE || (id >= 0 && id < state.count));
}

static CuErr prefetch(const void *p, size_t bytes, int device, void *stream)
{
    Range *r = managed(p, bytes);
    if (!stream_of(stream))
        return stream_error(stream);
    if (device != DEVICE_HOST && (device < 0 || device >= state.count))
        return cudaErrorInvalidDevice;
    if (!r)
        return cudaErrorInvalidValue;
    r->prefetched = device;
    return cudaSuccess;
}

CuErr rt_cudaMemPrefetchAsync(const void *p, size_t bytes, uint64_t location, unsigned flags, void *stream)
{
    ENTER();
    int device;
    if (flags)
        return LEAVE(cudaErrorInvalidValue);
    return LEAVE(device_of(location, &device) ? prefetch(p, bytes, device, stream) : cudaErrorInvalidDevice);
}

CuErr rt_cudaMemPrefetchAsync_12(const void *p, size_t bytes, int device, void *stream)
{
    ENTER();
    return LEAVE(prefetch(p, bytes, device, stream));
}

static CuErr advise(const void *p, size_t bytes, int advice, int device)
{
    Range   *r    = managed(p, bytes);
    unsigned who  = device == DEVICE_HOST ? 1u << 31 : 1u << (device & 15);
    bool     asks = advice == ADVISE_PREFERRED || advice == ADVISE_ACCESSED_BY ||
                advice == UNADVISE_ACCESSED_BY; /* needs the device */
    if (!r || (asks && device != DEVICE_HOST && (device < 0 || device >= state.count)))
        return r ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
    switch (advice) {
    case ADVISE_READ_MOSTLY: r->read_mostly = true; break;
    case UNADVISE_READ_MOSTLY: r->read_mostly = false; break;
    case ADVISE_PREFERRED: r->preferred = device; break;
    case UNADVISE_PREFERRED: r->preferred = DEVICE_NONE; break;
    case ADVISE_ACCESSED_BY: r->accessed_by |= who; break;
    case UNADVISE_ACCESSED_BY: r->accessed_by &= ~who; break;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

CuErr rt_cudaMemAdvise(const void *p, size_t bytes, int advice, uint64_t location)
{
    ENTER();
    int  device;
    bool any = advice == ADVISE_READ_MOSTLY || advice == UNADVISE_READ_MOSTLY || advice == UNADVISE_PREFERRED;
    return LEAVE(device_of(location, &device) || any ? advise(p, bytes, advice, device) : cudaErrorInvalidValue);
}

CuErr rt_cudaMemAdvise_12(const void *p, size_t bytes, int advice, int device)
{
    ENTER();
    return LEAVE(advise(p, bytes, advice, device));
}

/* Which devices have access: as many ordinals as there is room for, the rest "none". */
static void list_devices(int *out, size_t n, unsigned who)
{
    size_t at = 0;
    if (at < n && (who & 1u << 31))
        out[at++] = DEVICE_HOST;
    for (int i = 0; i < state.count; i++)
        if (at < n && (who & 1u << i))
            out[at++] = i;
    while (at < n)
        out[at++] = DEVICE_NONE;
}

static CuErr range_attribute(int *out, size_t bytes, int which, const void *p, size_t count)
{
    const Range *r = managed(p, count);
    if (!out || !r || bytes < 4 || bytes % 4 || (which != RANGE_ACCESSED_BY && bytes != 4))
        return cudaErrorInvalidValue;
    bool preferred = which == RANGE_PREFERRED || which == RANGE_PREFERRED_KIND || which == RANGE_PREFERRED_NUMBER;
    int  device    = preferred ? r->preferred : r->prefetched;
    switch (which) {
    case RANGE_READ_MOSTLY: *out = r->read_mostly; return cudaSuccess;
    case RANGE_PREFERRED:
    case RANGE_PREFETCHED: *out = device; return cudaSuccess;
    case RANGE_ACCESSED_BY: list_devices(out, bytes / 4, r->accessed_by); return cudaSuccess;
    case RANGE_PREFERRED_KIND:
    case RANGE_PREFETCHED_KIND:
        *out = device == DEVICE_NONE ? 0 : device == DEVICE_HOST ? LOCATION_HOST : LOCATION_DEVICE;
        return cudaSuccess;
    case RANGE_PREFERRED_NUMBER:
    case RANGE_PREFETCHED_NUMBER: *out = device >= 0 ? device : 0; return cudaSuccess;
    default: return cudaErrorInvalidValue;
    }
}

CuErr rt_cudaMemRangeGetAttribute(void *out, size_t bytes, int which, const void *p, size_t count)
{
    ENTER();
    return LEAVE(range_attribute(out, bytes, which, p, count));
}

CuErr rt_cudaMemRangeGetAttributes(void **out, const size_t *bytes, const int *which, size_t n, const void *p,
                                   size_t count)
{
    ENTER();
    CuErr e = out && bytes && which ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; e == cudaSuccess && i < n; i++)
        e = range_attribute(out[i], bytes[i], which[i], p, count);
    return LEAVE(e);
}

CuErr drv_cuMemRangeGetAttribute(void *out, size_t bytes, int which, WwPtr p, size_t count)
{
    return rt_cudaMemRangeGetAttribute(out, bytes, which, (const void *)(uintptr_t)p, count);
}

/* ---- many at once ---- */

typedef struct Location {
    int type, id;
} Location;

static int location_device(const Location *l)
{
    return l->type == LOCATION_DEVICE ? l->id : DEVICE_HOST;
}

static CuErr prefetch_all(void **list, const size_t *bytes, size_t n, const Location *to, const size_t *first,
                          size_t nto, unsigned long long flags, void *stream)
{
    if (!list || !bytes || !to || !first || !nto || nto > n || flags || first[0])
        return cudaErrorInvalidValue;
    CuErr e = cudaSuccess;
    for (size_t i = 0, l = 0; e == cudaSuccess && i < n; i++) {
        while (l + 1 < nto && first[l + 1] <= i)
            l++;
        e = prefetch(list[i], bytes[i], location_device(&to[l]), stream);
    }
    return e;
}

CuErr rt_cudaMemPrefetchBatchAsync(void **list, const size_t *bytes, size_t n, const Location *to, const size_t *first,
                                   size_t nto, unsigned long long flags, void *stream)
{
    ENTER();
    return LEAVE(prefetch_all(list, bytes, n, to, first, nto, flags, stream));
}

/* Discarded contents are undefined until written again: they stay what they were. */
static CuErr discard_all(void **list, const size_t *bytes, size_t n, unsigned long long flags, void *stream)
{
    CuErr e = !stream_of(stream) ? stream_error(stream) : list && bytes && !flags ? cudaSuccess : cudaErrorInvalidValue;
    for (size_t i = 0; e == cudaSuccess && i < n; i++)
        e = managed(list[i], bytes[i]) ? cudaSuccess : cudaErrorInvalidValue;
    return e;
}

CuErr rt_cudaMemDiscardBatchAsync(void **list, const size_t *bytes, size_t n, unsigned long long flags, void *stream)
{
    ENTER();
    return LEAVE(discard_all(list, bytes, n, flags, stream));
}

CuErr rt_cudaMemDiscardAndPrefetchBatchAsync(void **list, const size_t *bytes, size_t n, const Location *to,
                                             const size_t *first, size_t nto, unsigned long long flags, void *stream)
{
    ENTER();
    CuErr e = discard_all(list, bytes, n, flags, stream);
    return LEAVE(e == cudaSuccess ? prefetch_all(list, bytes, n, to, first, nto, flags, stream) : e);
}
