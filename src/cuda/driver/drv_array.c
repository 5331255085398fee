/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: arrays, mipmapped arrays, and copies of two and three dimensions between host, device and arrays. */
#include <string.h>

#include "base/sizes.h"
#include "cuda/driver/driver.h"
#include "cuda/memory/array.h"
#include "cuda/memory/devmem.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"

typedef struct ArrayDesc { /* CUDA_ARRAY_DESCRIPTOR */
    size_t   width, height;
    unsigned format, channels;
} ArrayDesc;

typedef struct Array3DDesc { /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t   width, height, depth;
    unsigned format, channels, flags;
} Array3DDesc;

/* ---- arrays ---- */

static CuErr create(Array **out, const Array3DDesc *d)
{
    TexFormat f;
    Array    *a = NULL;
    if (!out || !d || !format_of_driver(d->format, d->channels, &f))
        return cudaErrorInvalidValue;
    CuErr e = array_new(&a, &f, (Extent){d->width, d->height, d->depth}, d->flags);
    if (e == cudaSuccess)
        *out = a;
    return e;
}

CuErr drv_cuArrayCreate_v2(Array **out, const ArrayDesc *d)
{
    ENTER_CTX();
    if (!d)
        return cudaErrorInvalidValue;
    return create(out, &(Array3DDesc){d->width, d->height, 0, d->format, d->channels, 0});
}

CuErr drv_cuArray3DCreate_v2(Array **out, const Array3DDesc *d)
{
    ENTER_CTX();
    return create(out, d);
}

CuErr drv_cuArrayDestroy(Array *array)
{
    ENTER_CTX();
    Array *a = array_of(array);
    return a ? array_free(a) : cudaErrorInvalidResourceHandle;
}

CuErr drv_cuArray3DGetDescriptor_v2(Array3DDesc *out, Array *array)
{
    ENTER_CTX();
    const Array *a = array_of(array);
    if (!a || !out)
        return a ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
    *out = (Array3DDesc){a->extent.width,           a->extent.height,   a->extent.depth,
                         format_driver(&a->format), a->format.channels, a->flags};
    return cudaSuccess;
}

CuErr drv_cuArrayGetDescriptor_v2(ArrayDesc *out, Array *array)
{
    ENTER_CTX();
    Array3DDesc d;
    CuErr       e = drv_cuArray3DGetDescriptor_v2(&d, array);
    if (e == cudaSuccess && out)
        *out = (ArrayDesc){d.width, d.height, d.format, d.channels};
    return e == cudaSuccess && !out ? cudaErrorInvalidValue : e;
}

CuErr drv_cuMipmappedArrayCreate(Mipmap **out, const Array3DDesc *d, unsigned levels)
{
    ENTER_CTX();
    TexFormat f;
    Mipmap   *m = NULL;
    if (!out || !d || !format_of_driver(d->format, d->channels, &f))
        return cudaErrorInvalidValue;
    CuErr e = mipmap_new(&m, &f, (Extent){d->width, d->height, d->depth}, levels, d->flags);
    if (e == cudaSuccess)
        *out = m;
    return e;
}

CuErr drv_cuMipmappedArrayGetLevel(Array **out, Mipmap *mipmap, unsigned level)
{
    ENTER_CTX();
    const Mipmap *m = mipmap_of(mipmap);
    if (!m)
        return cudaErrorInvalidResourceHandle;
    if (!out || level >= m->nlevels)
        return cudaErrorInvalidValue;
    *out = m->level[level];
    return cudaSuccess;
}

CuErr drv_cuMipmappedArrayDestroy(Mipmap *mipmap)
{
    ENTER_CTX();
    Mipmap *m = mipmap_of(mipmap);
    return m ? mipmap_free(m) : cudaErrorInvalidResourceHandle;
}

/* ---- copies ---- */

enum { MEMORY_TYPE_HOST = 1, MEMORY_TYPE_DEVICE, MEMORY_TYPE_ARRAY, MEMORY_TYPE_UNIFIED };

typedef struct DriverEnd2D {
    size_t   x, y;
    int      type;
    void    *host;
    uint64_t device;
    Array   *array;
    size_t   pitch;
} DriverEnd2D;

typedef struct DriverEnd3D {
    size_t   x, y, z, level;
    int      type;
    void    *host;
    uint64_t device;
    Array   *array;
    void    *context;
    size_t   pitch, height;
} DriverEnd3D;

typedef struct DriverCopy2D { /* CUDA_MEMCPY2D */
    DriverEnd2D src, dst;
    size_t      width, height;
} DriverCopy2D;
_Static_assert(sizeof(DriverCopy2D) == 128, "layout of CUDA_MEMCPY2D");

typedef struct DriverCopy3D { /* CUDA_MEMCPY3D, CUDA_MEMCPY3D_PEER */
    DriverEnd3D src, dst;
    size_t      width, height, depth;
} DriverCopy3D;
_Static_assert(sizeof(DriverCopy3D) == 200, "layout of CUDA_MEMCPY3D");

/* A pitch of 0 is the width of the copy, a height of 0 its height. */
static CuErr end_of(const DriverEnd3D *d, size_t width, size_t height, CopyEnd *out)
{
    *out = (CopyEnd){.pitch  = d->pitch ? d->pitch : size_add(d->x, width),
                     .height = d->height ? d->height : size_add(d->y, height),
                     .x      = d->x,
                     .y      = d->y,
                     .z      = d->z};
    if (d->level || (d->type != MEMORY_TYPE_ARRAY && d->height && d->height < height))
        return cudaErrorInvalidValue;
    switch (d->type) {
    case MEMORY_TYPE_HOST: out->ptr = d->host; break;
    case MEMORY_TYPE_DEVICE:
    case MEMORY_TYPE_UNIFIED: out->ptr = (void *)(uintptr_t)d->device; break;
    case MEMORY_TYPE_ARRAY: out->array = array_of(d->array); return out->array ? cudaSuccess : cudaErrorInvalidValue;
    default: return cudaErrorInvalidValue;
    }
    return cudaSuccess;
}

static int direction(int from, int to)
{
    if (from == MEMORY_TYPE_UNIFIED || to == MEMORY_TYPE_UNIFIED)
        return COPY_DEFAULT;
    return from == MEMORY_TYPE_HOST ? (to == MEMORY_TYPE_HOST ? COPY_HOST_TO_HOST : COPY_HOST_TO_DEVICE)
                                    : (to == MEMORY_TYPE_HOST ? COPY_DEVICE_TO_HOST : COPY_DEVICE_TO_DEVICE);
}

static CuErr copy_3d(const DriverCopy3D *c, void *stream)
{
    CopyEnd dst, src;
    if (!c)
        return cudaErrorInvalidValue;
    if (!c->width || !c->height || !c->depth)
        return cudaSuccess;
    CuErr e = end_of(&c->dst, c->width, c->height, &dst);
    if (e == cudaSuccess)
        e = end_of(&c->src, c->width, c->height, &src);
    if (e == cudaSuccess)
        e = stream_copy_array(&dst, &src, c->width, c->height, c->depth, direction(c->src.type, c->dst.type), stream);
    return e == cudaErrorInvalidPitchValue || e == cudaErrorInvalidMemcpyDirection ? cudaErrorInvalidValue : e;
}

CuErr driver_copy_node(const void *memcpy3d, NodeCopy *out)
{
    const DriverCopy3D *c = memcpy3d;
    CopyEnd             dst, src;
    if (!c)
        return cudaErrorInvalidValue;
    CuErr e = end_of(&c->dst, c->width, c->height, &dst);
    if (e == cudaSuccess)
        e = end_of(&c->src, c->width, c->height, &src);
    if (e == cudaSuccess)
        e = array_copy_node(&dst, &src, c->width, c->height, c->depth, direction(c->src.type, c->dst.type), out);
    return e;
}

static DriverEnd3D flat(const DriverEnd2D *d)
{
    return (DriverEnd3D){.x      = d->x,
                         .y      = d->y,
                         .type   = d->type,
                         .host   = d->host,
                         .device = d->device,
                         .array  = d->array,
                         .pitch  = d->pitch};
}

static CuErr copy_2d(const DriverCopy2D *c, void *stream)
{
    if (!c)
        return cudaErrorInvalidValue;
    return copy_3d(&(DriverCopy3D){flat(&c->src), flat(&c->dst), c->width, c->height, 1}, stream);
}

CuErr drv_cuMemcpy2D_v2(const DriverCopy2D *c)
{
    ENTER_CTX();
    CuErr e = stream_settle(NULL);
    return e != cudaSuccess ? e : copy_2d(c, NULL);
}

CuErr drv_cuMemcpy2DUnaligned_v2(const DriverCopy2D *c)
{
    ENTER_CTX();
    return drv_cuMemcpy2D_v2(c);
}

CuErr drv_cuMemcpy2DAsync_v2(const DriverCopy2D *c, void *stream)
{
    ENTER_CTX();
    return copy_2d(c, stream);
}

CuErr drv_cuMemcpy3D_v2(const DriverCopy3D *c)
{
    ENTER_CTX();
    CuErr e = stream_settle(NULL);
    return e != cudaSuccess ? e : copy_3d(c, NULL);
}

CuErr drv_cuMemcpy3DAsync_v2(const DriverCopy3D *c, void *stream)
{
    ENTER_CTX();
    return copy_3d(c, stream);
}

CuErr drv_cuMemcpy3DPeer(const DriverCopy3D *c)
{
    ENTER_CTX();
    return drv_cuMemcpy3D_v2(c);
}

CuErr drv_cuMemcpy3DPeerAsync(const DriverCopy3D *c, void *stream)
{
    ENTER_CTX();
    return drv_cuMemcpy3DAsync_v2(c, stream);
}

/* ---- along the first row of an array ---- */

static CuErr along(Array *to, size_t to_at, void *dst, Array *from, size_t from_at, const void *src, size_t bytes,
                   int kind, void *stream)
{
    CopyEnd d = {.array = to ? array_of(to) : NULL, .ptr = dst, .x = to_at, .pitch = bytes};
    CopyEnd s = {.array = from ? array_of(from) : NULL, .ptr = (void *)(uintptr_t)src, .x = from_at, .pitch = bytes};
    if ((to && !d.array) || (from && !s.array) || (!to && !dst) || (!from && !src))
        return cudaErrorInvalidValue;
    return stream_copy_array(&d, &s, bytes, 1, 1, kind, stream);
}

CuErr drv_cuMemcpyHtoA_v2(Array *a, size_t at, const void *src, size_t bytes)
{
    ENTER_CTX();
    CuErr e = stream_settle(NULL);
    return e != cudaSuccess ? e
           : a              ? along(a, at, NULL, NULL, 0, src, bytes, COPY_HOST_TO_DEVICE, NULL)
                            : cudaErrorInvalidValue;
}

CuErr drv_cuMemcpyHtoAAsync_v2(Array *a, size_t at, const void *src, size_t bytes, void *stream)
{
    ENTER_CTX();
    return a ? along(a, at, NULL, NULL, 0, src, bytes, COPY_HOST_TO_DEVICE, stream) : cudaErrorInvalidValue;
}

CuErr drv_cuMemcpyAtoH_v2(void *dst, Array *a, size_t at, size_t bytes)
{
    ENTER_CTX();
    CuErr e = stream_settle(NULL);
    return e != cudaSuccess ? e
           : a              ? along(NULL, 0, dst, a, at, NULL, bytes, COPY_DEVICE_TO_HOST, NULL)
                            : cudaErrorInvalidValue;
}

CuErr drv_cuMemcpyAtoHAsync_v2(void *dst, Array *a, size_t at, size_t bytes, void *stream)
{
    ENTER_CTX();
    return a ? along(NULL, 0, dst, a, at, NULL, bytes, COPY_DEVICE_TO_HOST, stream) : cudaErrorInvalidValue;
}

CuErr drv_cuMemcpyAtoD_v2(WwPtr dst, Array *a, size_t at, size_t bytes)
{
    ENTER_CTX();
    return a ? along(NULL, 0, (void *)(uintptr_t)dst, a, at, NULL, bytes, COPY_DEVICE_TO_DEVICE, NULL)
             : cudaErrorInvalidValue;
}

CuErr drv_cuMemcpyDtoA_v2(Array *a, size_t at, WwPtr src, size_t bytes)
{
    ENTER_CTX();
    return a ? along(a, at, NULL, NULL, 0, (void *)(uintptr_t)src, bytes, COPY_DEVICE_TO_DEVICE, NULL)
             : cudaErrorInvalidValue;
}

CuErr drv_cuMemcpyAtoA_v2(Array *dst, size_t dst_at, Array *src, size_t src_at, size_t bytes)
{
    ENTER_CTX();
    return dst && src ? along(dst, dst_at, NULL, src, src_at, NULL, bytes, COPY_DEVICE_TO_DEVICE, NULL)
                      : cudaErrorInvalidValue;
}

/* ---- sets of two dimensions ---- */

#define SET(bits, type)                                                                                                \
    CuErr drv_cuMemsetD2D##bits##_v2(WwPtr dst, size_t pitch, type value, size_t width, size_t height)                 \
    {                                                                                                                  \
        ENTER_CTX();                                                                                                   \
        return devmem_set_2d((void *)(uintptr_t)dst, pitch, value, bits / 8, width, height);                           \
    }                                                                                                                  \
    CuErr drv_cuMemsetD2D##bits##Async(WwPtr dst, size_t pitch, type value, size_t width, size_t height, void *stream) \
    {                                                                                                                  \
        ENTER_CTX();                                                                                                   \
        return stream_set((void *)(uintptr_t)dst, pitch, value, bits / 8, width, height, stream);                      \
    }
SET(8, unsigned char)
SET(16, unsigned short)
SET(32, unsigned)
