/* SPDX-License-Identifier: Apache-2.0
 *
 * Runtime interface: texture and surface objects.  Structures that cross the interface are read through declarations of our own with
 * the documented layout. */
#include <string.h>

#include "cuda/memory/texobj.h"
#include "cuda/work/queue.h"

enum { NO_TRILINEAR = 0x20 }; /* CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION */

typedef struct ResourceDesc { /* cudaResourceDesc */
    int type;
    union {
        void *handle;
        struct {
            void       *ptr;
            ChannelDesc desc;
            size_t      bytes;
        } linear;
        struct {
            void       *ptr;
            ChannelDesc desc;
            size_t      width, height, pitch;
        } plane;
        int reserved[32];
    } res;
    unsigned flags;
} ResourceDesc;
_Static_assert(sizeof(ResourceDesc) == 144, "layout of cudaResourceDesc");

typedef struct TextureDesc { /* cudaTextureDesc */
    int      address[3], filter, read_mode, srgb;
    float    border[4];
    int      normalised;
    unsigned anisotropy;
    int      mip_filter;
    float    bias, min_level, max_level;
    int      no_trilinear, seamless;
} TextureDesc;
_Static_assert(sizeof(TextureDesc) == 72, "layout of cudaTextureDesc");

static CuErr read_resource(const ResourceDesc *d, Resource *r)
{
    *r = (Resource){.type = (ResourceType)d->type};
    const ChannelDesc *c;
    switch (d->type) {
    case RESOURCE_ARRAY:
        r->array = array_of(d->res.handle);
        return r->array ? cudaSuccess : cudaErrorInvalidResourceHandle;
    case RESOURCE_MIPMAP:
        r->mipmap = mipmap_of(d->res.handle);
        return r->mipmap ? cudaSuccess : cudaErrorInvalidResourceHandle;
    case RESOURCE_LINEAR:
        r->ptr   = (uint64_t)(uintptr_t)d->res.linear.ptr;
        r->bytes = d->res.linear.bytes;
        c        = &d->res.linear.desc;
        break;
    case RESOURCE_PITCH:
        r->ptr    = (uint64_t)(uintptr_t)d->res.plane.ptr;
        r->width  = d->res.plane.width;
        r->height = d->res.plane.height;
        r->pitch  = d->res.plane.pitch;
        c         = &d->res.plane.desc;
        break;
    default: return cudaErrorInvalidValue;
    }
    return format_of_channels(c, &r->format) ? cudaSuccess : cudaErrorInvalidChannelDescriptor;
}

enum { READ_ELEMENTS, READ_NORMALIZED }; /* cudaTextureReadMode */

static CuErr read_sampler(const TextureDesc *d, TexSampler *s)
{
    *s = (TexSampler){.normalised = d->normalised != 0,
                      .to_float   = d->read_mode == READ_NORMALIZED,
                      .srgb       = d->srgb != 0,
                      .seamless   = d->seamless != 0,
                      .anisotropy = d->anisotropy,
                      .bias       = d->bias,
                      .min_level  = d->min_level,
                      .max_level  = d->max_level};
    return texobj_sampling(s, d->address, d->filter, d->mip_filter, d->border);
}

CuErr rt_cudaCreateTextureObject(uint64_t *out, const ResourceDesc *r, const TextureDesc *t, const View *v)
{
    ENTER();
    TexEntry e = {.kind = TEX_TEXTURE};
    if (!out || !r || !t)
        return LEAVE(out && r ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue);
    CuErr err = read_resource(r, &e.resource);
    if (err == cudaSuccess)
        err = read_sampler(t, &e.sampler);
    e.flags = t->no_trilinear ? NO_TRILINEAR : 0;
    return LEAVE(err == cudaSuccess ? texobj_make(out, &e, v) : err);
}

CuErr rt_cudaDestroyTextureObject(uint64_t handle)
{
    ENTER();
    texobj_unbound(handle, TEX_TEXTURE);
    queue_settle_device(-1);
    texobj_destroy(handle, TEX_TEXTURE);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaCreateSurfaceObject(uint64_t *out, const ResourceDesc *r)
{
    ENTER();
    TexEntry e = {.kind = TEX_SURFACE};
    if (!out || !r)
        return LEAVE(cudaErrorInvalidValue);
    CuErr err = r->type == RESOURCE_ARRAY ? read_resource(r, &e.resource) : cudaErrorInvalidValue;
    return LEAVE(err == cudaSuccess ? texobj_make(out, &e, NULL) : err);
}

CuErr rt_cudaDestroySurfaceObject(uint64_t handle)
{
    ENTER();
    queue_settle_device(-1);
    texobj_destroy(handle, TEX_SURFACE);
    return LEAVE(cudaSuccess);
}

/* ---- asking back ---- */

static void write_resource(const Resource *r, ResourceDesc *d)
{
    memset(d, 0, sizeof *d);
    d->type = r->type;
    if (r->type == RESOURCE_ARRAY) {
        d->res.handle = r->array;
    } else if (r->type == RESOURCE_MIPMAP) {
        d->res.handle = r->mipmap;
    } else if (r->type == RESOURCE_LINEAR) {
        d->res.linear.ptr   = (void *)(uintptr_t)r->ptr;
        d->res.linear.desc  = format_channels(&r->format);
        d->res.linear.bytes = r->bytes;
    } else {
        d->res.plane.ptr    = (void *)(uintptr_t)r->ptr;
        d->res.plane.desc   = format_channels(&r->format);
        d->res.plane.width  = r->width;
        d->res.plane.height = r->height;
        d->res.plane.pitch  = r->pitch;
    }
}

CuErr rt_cudaGetTextureObjectResourceDesc(ResourceDesc *out, uint64_t handle)
{
    ENTER();
    const TexEntry *e = texobj_find(handle, TEX_TEXTURE);
    if (!e || !out)
        return LEAVE(cudaErrorInvalidValue);
    write_resource(&e->resource, out);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGetSurfaceObjectResourceDesc(ResourceDesc *out, uint64_t handle)
{
    ENTER();
    const TexEntry *e = texobj_find(handle, TEX_SURFACE);
    if (!e || !out)
        return LEAVE(cudaErrorInvalidValue);
    write_resource(&e->resource, out);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGetTextureObjectTextureDesc(TextureDesc *out, uint64_t handle)
{
    ENTER();
    const TexEntry *e = texobj_find(handle, TEX_TEXTURE);
    if (!e || !out)
        return LEAVE(cudaErrorInvalidValue);
    const TexSampler *s = &e->sampler;
    *out                = (TextureDesc){.address      = {s->address[0], s->address[1], s->address[2]},
                                        .filter       = s->linear,
                                        .read_mode    = s->to_float,
                                        .srgb         = s->srgb,
                                        .normalised   = s->normalised,
                                        .anisotropy   = s->anisotropy,
                                        .mip_filter   = s->mip_linear,
                                        .bias         = s->bias,
                                        .min_level    = s->min_level,
                                        .max_level    = s->max_level,
                                        .no_trilinear = (e->flags & NO_TRILINEAR) != 0,
                                        .seamless     = s->seamless};
    memcpy(out->border, s->border, sizeof out->border);
    return LEAVE(cudaSuccess);
}

CuErr rt_cudaGetTextureObjectResourceViewDesc(View *out, uint64_t handle)
{
    ENTER();
    return LEAVE(texobj_view(out, handle));
}

CuErr rt_cudaDeviceGetTexture1DLinearMaxWidth(size_t *out, const ChannelDesc *d, int device)
{
    ENTER();
    TexFormat f;
    if (device < 0 || device >= state.count)
        return LEAVE(cudaErrorInvalidDevice);
    if (!out || !d || !format_of_channels(d, &f))
        return LEAVE(cudaErrorInvalidValue);
    *out = texobj_linear_width(&f);
    return LEAVE(cudaSuccess);
}
