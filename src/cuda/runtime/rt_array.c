/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: arrays, mipmapped arrays, copies to, from and between arrays, three-dimensional copies. */
#include <string.h>

#include "cuda/memory/array.h"
#include "cuda/work/stream.h"
#include "cuda/work/work.h"

ChannelDesc rt_cudaCreateChannelDesc(int x, int y, int z, int w, int kind)
{
    return (ChannelDesc){x, y, z, w, kind};
}

/* ---- arrays ---- */

/* Planar and block-compressed texels are the card's, not ours. */
static CuErr bad_channels(const ChannelDesc *d)
{
    return d->kind == CHANNEL_PLANAR || d->kind >= CHANNEL_BLOCKS ? cudaErrorNotSupported
                                                                  : cudaErrorInvalidChannelDescriptor;
}

static CuErr make(void **out, const ChannelDesc *d, Extent e, unsigned flags)
{
    TexFormat f;
    Array    *a = NULL;
    if (!out || !d)
        return cudaErrorInvalidValue;
    if (!format_of_channels(d, &f))
        return bad_channels(d);
    CuErr err = array_new(&a, &f, e, flags);
    if (err == cudaSuccess)
        *out = a;
    return err;
}

CuErr rt_cudaMallocArray(void **out, const ChannelDesc *d, size_t width, size_t height, unsigned flags)
{
    ENTER();
    if (flags & (ARRAY_LAYERED | ARRAY_CUBEMAP))
        return LEAVE(cudaErrorInvalidValue);
    return LEAVE(make(out, d, (Extent){width, height, 0}, flags));
}

CuErr rt_cudaMalloc3DArray(void **out, const ChannelDesc *d, Extent e, unsigned flags)
{
    ENTER();
    return LEAVE(make(out, d, e, flags));
}

CuErr rt_cudaFreeArray(void *array)
{
    ENTER();
    Array *a = array_of(array);
    return LEAVE(!array ? cudaSuccess : a ? array_free(a) : cudaErrorInvalidResourceHandle);
}

CuErr rt_cudaArrayGetInfo(ChannelDesc *d, Extent *e, unsigned *flags, void *array)
{
    ENTER();
    const Array *a = array_of(array);
    if (!a)
        return LEAVE(cudaErrorInvalidResourceHandle);
    if (d)
        *d = format_channels(&a->format);
    if (e)
        *e = a->extent;
    if (flags)
        *flags = a->flags;
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGetChannelDesc(ChannelDesc *d, void *array)
{
    ENTER();
    const Array *a = array_of(array);
    if (!a || !d)
        return LEAVE(a ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
    *d = format_channels(&a->format);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaMallocMipmappedArray(void **out, const ChannelDesc *d, Extent e, unsigned levels, unsigned flags)
{
    ENTER();
    TexFormat f;
    Mipmap   *m = NULL;
    if (!out || !d)
        return LEAVE(cudaErrorInvalidValue);
    if (!format_of_channels(d, &f))
        return LEAVE(bad_channels(d));
    CuErr err = mipmap_new(&m, &f, e, levels, flags);
    if (err == cudaSuccess)
        *out = m;
    return LEAVE(err);
}

CuErr rt_cudaFreeMipmappedArray(void *mipmap)
{
    ENTER();
    Mipmap *m = mipmap_of(mipmap);
    return LEAVE(!mipmap ? cudaSuccess : m ? mipmap_free(m) : cudaErrorInvalidResourceHandle);
}

CuErr rt_cudaGetMipmappedArrayLevel(void **out, void *mipmap, unsigned level)
{
    ENTER();
    const Mipmap *m = mipmap_of(mipmap);
    if (!m)
        return LEAVE(cudaErrorInvalidResourceHandle);
    if (!out || level >= m->nlevels)
        return LEAVE(cudaErrorInvalidValue);
    *out = m->level[level];
    return LEAVE(cudaSuccess);
}

/* What only arrays with deferred mapping, planes or sparse memory have: there are none of these. */

static CuErr plain_array(void *array)
{
    return array_of(array) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

CuErr rt_cudaArrayGetMemoryRequirements(void *out, void *array, int device)
{
    (void)out, (void)device;
    ENTER();
    return LEAVE(plain_array(array));
}

static CuErr plain_mipmap(void *mipmap)
{
    return mipmap_of(mipmap) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle;
}

CuErr rt_cudaMipmappedArrayGetMemoryRequirements(void *out, void *mipmap, int device)
{
    (void)out, (void)device;
    ENTER();
    return LEAVE(plain_mipmap(mipmap));
}

CuErr rt_cudaMipmappedArrayGetSparseProperties(void *out, void *mipmap)
{
    (void)out;
    ENTER();
    return LEAVE(plain_mipmap(mipmap));
}

CuErr rt_cudaArrayGetPlane(void **out, void *array, unsigned plane)
{
    (void)out, (void)array, (void)plane;
    ENTER();
    return LEAVE(cudaErrorInvalidResourceHandle);
}

CuErr rt_cudaArrayGetSparseProperties(void *out, void *array)
{
    (void)out;
    ENTER();
    return LEAVE(plain_array(array));
}

/* ---- two dimensions ---- */

static CuErr to_array(void *array, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                      int kind, void *stream)
{
    CopyEnd dst  = {.array = array_of(array), .x = x, .y = y};
    CopyEnd from = {.ptr = (void *)(uintptr_t)src, .pitch = pitch, .height = height};
    return dst.array ? stream_copy_array(&dst, &from, width, height, 1, kind, stream) : cudaErrorInvalidResourceHandle;
}

static CuErr from_array(void *dst, size_t pitch, void *array, size_t x, size_t y, size_t width, size_t height, int kind,
                        void *stream)
{
    CopyEnd src = {.array = array_of(array), .x = x, .y = y};
    CopyEnd to  = {.ptr = dst, .pitch = pitch, .height = height};
    return src.array ? stream_copy_array(&to, &src, width, height, 1, kind, stream) : cudaErrorInvalidResourceHandle;
}

CuErr rt_cudaMemcpy2DToArray(void *a, size_t x, size_t y, const void *src, size_t pitch, size_t width, size_t height,
                             int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : to_array(a, x, y, src, pitch, width, height, kind, NULL));
}

CuErr rt_cudaMemcpy2DToArrayAsync(void *a, size_t x, size_t y, const void *src, size_t pitch, size_t width,
                                  size_t height, int kind, void *stream)
{
    ENTER();
    return LEAVE(to_array(a, x, y, src, pitch, width, height, kind, stream));
}

CuErr rt_cudaMemcpy2DFromArray(void *dst, size_t pitch, void *a, size_t x, size_t y, size_t width, size_t height,
                               int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : from_array(dst, pitch, a, x, y, width, height, kind, NULL));
}

CuErr rt_cudaMemcpy2DFromArrayAsync(void *dst, size_t pitch, void *a, size_t x, size_t y, size_t width, size_t height,
                                    int kind, void *stream)
{
    ENTER();
    return LEAVE(from_array(dst, pitch, a, x, y, width, height, kind, stream));
}

CuErr rt_cudaMemcpy2DArrayToArray(void *dst, size_t dx, size_t dy, void *src, size_t sx, size_t sy, size_t width,
                                  size_t height, int kind)
{
    ENTER();
    CopyEnd to = {.array = array_of(dst), .x = dx, .y = dy}, from = {.array = array_of(src), .x = sx, .y = sy};
    return LEAVE(to.array && from.array ? stream_copy_array(&to, &from, width, height, 1, kind, NULL)
                                        : cudaErrorInvalidResourceHandle);
}

/* ---- one dimension: an array's rows one after the other (deprecated) ---- */

/* Copies row by row between an array from (x bytes, y) on and `other`, which is plain memory or an array too. */
static CuErr along(void *array, size_t x, size_t y, const CopyEnd *other, size_t count, bool into, int kind,
                   void *stream)
{
    CopyEnd a = {.array = array_of(array), .x = x, .y = y}, b = *other;
    CuErr   e = a.array ? cudaSuccess : cudaErrorInvalidResourceHandle;
    while (count && e == cudaSuccess) {
        size_t n = a.x < a.array->pitch ? a.array->pitch - a.x : 0;
        if (b.array && b.x < b.array->pitch && b.array->pitch - b.x < n)
            n = b.array->pitch - b.x;
        n = count < n ? count : n;
        if (!n)
            return cudaErrorInvalidValue;
        e = into ? stream_copy_array(&a, &b, n, 1, 1, kind, stream) : stream_copy_array(&b, &a, n, 1, 1, kind, stream);
        count -= n;
        a.x += n;
        b.x += n;
        if (a.x == a.array->pitch)
            a.x = 0, a.y++;
        if (b.array && b.x == b.array->pitch)
            b.x = 0, b.y++;
    }
    return e;
}

CuErr rt_cudaMemcpyToArray(void *a, size_t x, size_t y, const void *src, size_t count, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e
                                  : along(a, x, y, &(CopyEnd){.ptr = (void *)(uintptr_t)src}, count, true, kind, NULL));
}

CuErr rt_cudaMemcpyToArrayAsync(void *a, size_t x, size_t y, const void *src, size_t count, int kind, void *stream)
{
    ENTER();
    return LEAVE(along(a, x, y, &(CopyEnd){.ptr = (void *)(uintptr_t)src}, count, true, kind, stream));
}

CuErr rt_cudaMemcpyFromArray(void *dst, void *a, size_t x, size_t y, size_t count, int kind)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : along(a, x, y, &(CopyEnd){.ptr = dst}, count, false, kind, NULL));
}

CuErr rt_cudaMemcpyFromArrayAsync(void *dst, void *a, size_t x, size_t y, size_t count, int kind, void *stream)
{
    ENTER();
    return LEAVE(along(a, x, y, &(CopyEnd){.ptr = dst}, count, false, kind, stream));
}

CuErr rt_cudaMemcpyArrayToArray(void *dst, size_t dx, size_t dy, void *src, size_t sx, size_t sy, size_t count,
                                int kind)
{
    ENTER();
    CopyEnd from = {.array = array_of(src), .x = sx, .y = sy};
    return LEAVE(from.array ? along(dst, dx, dy, &from, count, true, kind, NULL) : cudaErrorInvalidResourceHandle);
}

/* ---- three dimensions ---- */

static CuErr copy_3d(const CopyParms3D *p, void *stream)
{
    NodeCopy c;
    CuErr    e = array_copy_parms(p, &c);
    return e == cudaSuccess ? stream_copy_node(&c, stream) : e;
}

CuErr rt_cudaMemcpy3D(const CopyParms3D *c)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : copy_3d(c, NULL));
}

CuErr rt_cudaMemcpy3DAsync(const CopyParms3D *c, void *stream)
{
    ENTER();
    return LEAVE(copy_3d(c, stream));
}

typedef struct PeerParms { /* cudaMemcpy3DPeerParms */
    void      *src_array;
    Pos        src_pos;
    PitchedPtr src;
    int        src_device;
    void      *dst_array;
    Pos        dst_pos;
    PitchedPtr dst;
    int        dst_device;
    Extent     extent;
} PeerParms;
_Static_assert(sizeof(PeerParms) == 168, "layout of cudaMemcpy3DPeerParms");

static CuErr copy_peer(const PeerParms *p, void *stream)
{
    if (!p)
        return cudaErrorInvalidValue;
    if (p->src_device < 0 || p->src_device >= state.count || p->dst_device < 0 || p->dst_device >= state.count)
        return cudaErrorInvalidDevice;
    CopyParms3D c = {.src_array = p->src_array,
                     .src_pos   = p->src_pos,
                     .src       = p->src,
                     .dst_array = p->dst_array,
                     .dst_pos   = p->dst_pos,
                     .dst       = p->dst,
                     .extent    = p->extent,
                     .kind      = COPY_DEVICE_TO_DEVICE};
    return copy_3d(&c, stream);
}

CuErr rt_cudaMemcpy3DPeer(const PeerParms *p)
{
    ENTER();
    CuErr e = stream_settle(NULL);
    return LEAVE(e != cudaSuccess ? e : copy_peer(p, NULL));
}

CuErr rt_cudaMemcpy3DPeerAsync(const PeerParms *p, void *stream)
{
    ENTER();
    return LEAVE(copy_peer(p, stream));
}
