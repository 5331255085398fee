/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: texture and surface objects. */
#include <string.h>

#include "cuda/driver/driver.h"
#include "cuda/memory/texobj.h"
#include "cuda/work/queue.h"

enum { READ_AS_INTEGER = 0x01, NORMALIZED = 0x02, SRGB = 0x10, NO_TRILINEAR = 0x20, SEAMLESS = 0x40, FLAGS = 0x73 };

typedef struct ResourceDesc { /* CUDA_RESOURCE_DESC */
    int type;
    union {
        void *handle;
        struct {
            uint64_t ptr;
            unsigned format, channels;
            size_t   bytes;
        } linear;
        struct {
            uint64_t ptr;
            unsigned format, channels;
            size_t   width, height, pitch;
        } plane;
        int reserved[32];
    } res;
    unsigned flags;
} ResourceDesc;
_Static_assert(sizeof(ResourceDesc) == 144, "layout of CUDA_RESOURCE_DESC");

typedef struct TextureDesc { /* CUDA_TEXTURE_DESC */
    int      address[3], filter;
    unsigned flags, anisotropy;
    int      mip_filter;
    float    bias, min_level, max_level, border[4];
    int      reserved[12];
} TextureDesc;
_Static_assert(sizeof(TextureDesc) == 104, "layout of CUDA_TEXTURE_DESC");

static CuErr read_resource(const ResourceDesc *d, Resource *r)
{
    bool known;
    *r = (Resource){.type = (ResourceType)d->type};
    if (d->flags)
        return cudaErrorInvalidValue;
    switch (d->type) {
    case RESOURCE_ARRAY:
        r->array = array_of(d->res.handle);
        known    = r->array != NULL;
        break;
    case RESOURCE_MIPMAP:
        r->mipmap = mipmap_of(d->res.handle);
        known     = r->mipmap != NULL;
        break;
    case RESOURCE_LINEAR:
        r->ptr   = d->res.linear.ptr;
        r->bytes = d->res.linear.bytes;
        known    = format_of_driver(d->res.linear.format, d->res.linear.channels, &r->format);
        break;
    case RESOURCE_PITCH:
        r->ptr    = d->res.plane.ptr;
        r->width  = d->res.plane.width;
        r->height = d->res.plane.height;
        r->pitch  = d->res.plane.pitch;
        known     = format_of_driver(d->res.plane.format, d->res.plane.channels, &r->format);
        break;
    default: return cudaErrorInvalidValue;
    }
    return known ? cudaSuccess : cudaErrorInvalidValue;
}

/* Without READ_AS_INTEGER whole numbers of 8 and 16 bits are read as fractions. */
static CuErr read_sampler(const TextureDesc *d, const Resource *r, TexSampler *s)
{
    const TexFormat *f = resource_format(r);
    if (d->flags & ~(unsigned)FLAGS)
        return cudaErrorInvalidValue;
    *s = (TexSampler){.normalised = d->flags & NORMALIZED,
                      .to_float   = !(d->flags & READ_AS_INTEGER) && f->kind != 'f' && f->bits < 32,
                      .srgb       = d->flags & SRGB,
                      .seamless   = d->flags & SEAMLESS,
                      .anisotropy = d->anisotropy,
                      .bias       = d->bias,
                      .min_level  = d->min_level,
                      .max_level  = d->max_level};
    return texobj_sampling(s, d->address, d->filter, d->mip_filter, d->border);
}

CuErr drv_cuTexObjectCreate(uint64_t *out, const ResourceDesc *r, const TextureDesc *t, const View *v)
{
    ENTER_CTX();
    TexEntry e = {.kind = TEX_TEXTURE};
    if (!out || !r || !t)
        return cudaErrorInvalidValue;
    CuErr err = read_resource(r, &e.resource);
    if (err == cudaSuccess)
        err = read_sampler(t, &e.resource, &e.sampler);
    e.flags = t->flags;
    err     = err == cudaSuccess ? texobj_make(out, &e, v) : err;
    return err == cudaErrorInvalidFilterSetting || err == cudaErrorInvalidNormSetting ? cudaErrorInvalidValue : err;
}

CuErr drv_cuTexObjectDestroy(uint64_t handle)
{
    ENTER_CTX();
    texobj_unbound(handle, TEX_TEXTURE);
    queue_settle_device(-1);
    texobj_destroy(handle, TEX_TEXTURE);
    return cudaSuccess;
}

CuErr drv_cuSurfObjectCreate(uint64_t *out, const ResourceDesc *r)
{
    ENTER_CTX();
    TexEntry e   = {.kind = TEX_SURFACE};
    CuErr    err = out && r && r->type == RESOURCE_ARRAY ? read_resource(r, &e.resource) : cudaErrorInvalidValue;
    return err == cudaSuccess ? texobj_make(out, &e, NULL) : err;
}

CuErr drv_cuSurfObjectDestroy(uint64_t handle)
{
    ENTER_CTX();
    queue_settle_device(-1);
    texobj_destroy(handle, TEX_SURFACE);
    return cudaSuccess;
}

/* ---- asking back ---- */

static CuErr resource_of(ResourceDesc *out, uint64_t handle, TexKind kind)
{
    const TexEntry *e = texobj_find(handle, kind);
    if (!e || !out)
        return cudaErrorInvalidValue;
    const Resource *r = &e->resource;
    memset(out, 0, sizeof *out);
    out->type = r->type;
    if (r->type == RESOURCE_ARRAY) {
        out->res.handle = r->array;
    } else if (r->type == RESOURCE_MIPMAP) {
        out->res.handle = r->mipmap;
    } else if (r->type == RESOURCE_LINEAR) {
        out->res.linear.ptr      = r->ptr;
        out->res.linear.format   = format_driver(&r->format);
        out->res.linear.channels = r->format.channels;
        out->res.linear.bytes    = r->bytes;
    } else {
        out->res.plane.ptr      = r->ptr;
        out->res.plane.format   = format_driver(&r->format);
        out->res.plane.channels = r->format.channels;
        out->res.plane.width    = r->width;
        out->res.plane.height   = r->height;
        out->res.plane.pitch    = r->pitch;
    }
    return cudaSuccess;
}

CuErr drv_cuTexObjectGetResourceDesc(ResourceDesc *out, uint64_t handle)
{
    ENTER_CTX();
    return resource_of(out, handle, TEX_TEXTURE);
}

CuErr drv_cuSurfObjectGetResourceDesc(ResourceDesc *out, uint64_t handle)
{
    ENTER_CTX();
    return resource_of(out, handle, TEX_SURFACE);
}

CuErr drv_cuTexObjectGetTextureDesc(TextureDesc *out, uint64_t handle)
{
    ENTER_CTX();
    const TexEntry *e = texobj_find(handle, TEX_TEXTURE);
    if (!e || !out)
        return cudaErrorInvalidValue;
    const TexSampler *s = &e->sampler;
    *out                = (TextureDesc){.address    = {s->address[0], s->address[1], s->address[2]},
                                        .filter     = s->linear,
                                        .flags      = e->flags,
                                        .anisotropy = s->anisotropy,
                                        .mip_filter = s->mip_linear,
                                        .bias       = s->bias,
                                        .min_level  = s->min_level,
                                        .max_level  = s->max_level};
    memcpy(out->border, s->border, sizeof out->border);
    return cudaSuccess;
}

CuErr drv_cuTexObjectGetResourceViewDesc(View *out, uint64_t handle)
{
    ENTER_CTX();
    return texobj_view(out, handle);
}

CuErr drv_cuDeviceGetTexture1DLinearMaxWidth(size_t *out, unsigned format, unsigned channels, int device)
{
    ENTER_CTX();
    TexFormat f;
    if (device < 0 || device >= state.count)
        return cudaErrorInvalidDevice;
    if (!out || !format_of_driver(format, channels, &f))
        return cudaErrorInvalidValue;
    *out = texobj_linear_width(&f);
    return cudaSuccess;
}
