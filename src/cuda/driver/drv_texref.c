/* SPDX-License-Identifier: Apache-2.0
 *
 * Driver interface: texture and surface references, the way before objects.  A reference is an object that is made anew when something
 * of it is set; the .texref or .surfref of its module holds the object's handle. */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "cuda/driver/driver.h"
#include "cuda/memory/texobj.h"
#include "cuda/work/queue.h"

typedef struct TexRef { /* CUtexref, CUsurfref */
    TexKind        kind;
    Image         *image; /* NULL: made by cuTexRefCreate */
    char          *name;
    bool           bound;
    unsigned       flags;
    TexFormat      format; /* of plain memory; kind 0: not set */
    Resource       resource;
    TexSampler     sampler;
    uint64_t       handle;
    struct TexRef *next;
} TexRef;

static TexRef *refs;

static TexRef *ref_of(void *handle, TexKind kind)
{
    TexRef *r = refs;
    while (r && (r != handle || r->kind != kind))
        r = r->next;
    return r;
}

static TexRef *make(TexKind kind, Image *image, const char *name)
{
    TexRef *r = xcalloc(1, sizeof *r);
    *r        = (TexRef){.kind = kind, .image = image, .next = refs};
    r->name   = name ? strdup(name) : NULL;
    memset(r->sampler.address, TEX_CLAMP, sizeof r->sampler.address);
    refs = r;
    return r;
}

/* Makes the object for what is set now, and tells the module. */
static CuErr rebind(TexRef *r)
{
    TexEntry e = {.kind = r->kind, .resource = r->resource, .sampler = r->sampler, .flags = r->flags};
    WwPtr    at;
    size_t   bytes;
    if (!r->bound)
        return cudaSuccess;
    queue_settle_device(-1);
    const TexFormat *f   = resource_format(&r->resource);
    e.sampler.normalised = r->flags & 0x02;
    e.sampler.srgb       = r->flags & 0x10;
    e.sampler.to_float   = !(r->flags & 0x01) && f->kind != 'f' && f->bits < 32;
    if (e.sampler.linear && f->kind != 'f' && !e.sampler.to_float && !f->norm)
        e.sampler.linear = false; /* until the rest is set */
    CuErr err = texobj_new(&e);
    if (err != cudaSuccess)
        return cudaErrorInvalidValue;
    texobj_destroy(r->handle, r->kind);
    r->handle = e.handle;
    if (!r->image)
        return cudaSuccess;
    err = image_variable(r->image, state_current(), r->name, &at, &bytes);
    if (err == cudaSuccess)
        memcpy((void *)(uintptr_t)at, &r->handle, sizeof r->handle);
    return err;
}

static CuErr get(TexRef **out, Image *image, const char *name, TexKind kind)
{
    CuErr e;
    if (!out || !image_known(image) || !name)
        return cudaErrorInvalidValue;
    WwModule  *m = image_module(image, state_current(), &e);
    const Var *v = m ? ptx_find_var(m->ptx, name) : NULL;
    if (!m)
        return e;
    if (!v || v->type != (kind == TEX_TEXTURE ? TY_TEXREF : TY_SURFREF))
        return cudaErrorSymbolNotFound;
    TexRef *r = refs;
    while (r && (r->image != image || r->kind != kind || strcmp(r->name, name) != 0))
        r = r->next;
    *out = r ? r : make(kind, image, name);
    return cudaSuccess;
}

CuErr drv_cuModuleGetTexRef(TexRef **out, Image *image, const char *name)
{
    ENTER_CTX();
    return get(out, image, name, TEX_TEXTURE);
}

CuErr drv_cuModuleGetSurfRef(TexRef **out, Image *image, const char *name)
{
    ENTER_CTX();
    return get(out, image, name, TEX_SURFACE);
}

CuErr drv_cuTexRefCreate(TexRef **out)
{
    ENTER_CTX();
    if (!out)
        return cudaErrorInvalidValue;
    *out = make(TEX_TEXTURE, NULL, NULL);
    return cudaSuccess;
}

CuErr drv_cuTexRefDestroy(TexRef *ref)
{
    ENTER_CTX();
    for (TexRef **at = &refs, *r; (r = *at); at = &r->next)
        if (r == ref && !r->image) {
            *at = r->next;
            texobj_destroy(r->handle, r->kind);
            free(r);
            return cudaSuccess;
        }
    return cudaErrorInvalidValue;
}

/* ---- what is bound ---- */

static CuErr bind(TexRef *r, Resource resource)
{
    r->resource = resource;
    r->bound    = true;
    return rebind(r);
}

enum { OVERRIDE_FORMAT = 1 }; /* CU_TRSA_OVERRIDE_FORMAT, the only flag there is */

CuErr drv_cuTexRefSetArray(TexRef *ref, Array *array, unsigned flags)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_TEXTURE);
    Array  *a = array_of(array);
    if (!r || !a || flags != OVERRIDE_FORMAT)
        return cudaErrorInvalidValue;
    return bind(r, (Resource){.type = RESOURCE_ARRAY, .array = a});
}

CuErr drv_cuTexRefSetMipmappedArray(TexRef *ref, Mipmap *mipmap, unsigned flags)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_TEXTURE);
    Mipmap *m = mipmap_of(mipmap);
    if (!r || !m || flags != OVERRIDE_FORMAT)
        return cudaErrorInvalidValue;
    return bind(r, (Resource){.type = RESOURCE_MIPMAP, .mipmap = m});
}

CuErr drv_cuTexRefSetAddress_v2(size_t *offset, TexRef *ref, WwPtr p, size_t bytes)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || (p % TEXTURE_ALIGN && !offset))
        return cudaErrorInvalidValue;
    if (offset)
        *offset = p % TEXTURE_ALIGN;
    TexFormat f = r->format.kind ? r->format : (TexFormat){'f', 32, 1, false};
    return bind(
        r, (Resource){
               .type = RESOURCE_LINEAR, .ptr = p - p % TEXTURE_ALIGN, .format = f, .bytes = bytes + p % TEXTURE_ALIGN});
}

/* Before a launch of the old way: the reference is the module's, so it is there already. */
CuErr drv_cuParamSetTexRef(Kernel *f, int unit, TexRef *ref)
{
    enum { DEFAULT_UNIT = -1 };
    ENTER_CTX();
    CuErr e;
    if (!kernel_find(f, &e))
        return cudaErrorInvalidResourceHandle;
    return unit == DEFAULT_UNIT && ref_of(ref, TEX_TEXTURE) ? cudaSuccess : cudaErrorInvalidValue;
}

typedef struct ArrayDesc { /* CUDA_ARRAY_DESCRIPTOR */
    size_t   width, height;
    unsigned format, channels;
} ArrayDesc;

CuErr drv_cuTexRefSetAddress2D_v3(TexRef *ref, const ArrayDesc *d, WwPtr p, size_t pitch)
{
    ENTER_CTX();
    TexRef  *r = ref_of(ref, TEX_TEXTURE);
    Resource t = {.type = RESOURCE_PITCH, .ptr = p, .pitch = pitch};
    if (!r || !d || !format_of_driver(d->format, d->channels, &t.format))
        return cudaErrorInvalidValue;
    t.width  = d->width;
    t.height = d->height;
    return bind(r, t);
}

CuErr drv_cuTexRefSetFormat(TexRef *ref, unsigned format, int channels)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || !format_of_driver(format, (unsigned)channels, &r->format))
        return cudaErrorInvalidValue;
    r->resource.format = r->format;
    return rebind(r);
}

CuErr drv_cuTexRefGetArray(Array **out, TexRef *ref)
{
    ENTER_CTX();
    const TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || !out || !r->resource.array)
        return cudaErrorInvalidValue;
    *out = r->resource.array;
    return cudaSuccess;
}

CuErr drv_cuTexRefGetAddress_v2(WwPtr *out, TexRef *ref)
{
    ENTER_CTX();
    const TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || !out || !r->resource.ptr)
        return cudaErrorInvalidValue;
    *out = r->resource.ptr;
    return cudaSuccess;
}

CuErr drv_cuSurfRefSetArray(TexRef *ref, Array *array, unsigned flags)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_SURFACE);
    Array  *a = array_of(array);
    return r && a && !flags ? bind(r, (Resource){.type = RESOURCE_ARRAY, .array = a}) : cudaErrorInvalidValue;
}

CuErr drv_cuSurfRefGetArray(Array **out, TexRef *ref)
{
    ENTER_CTX();
    const TexRef *r = ref_of(ref, TEX_SURFACE);
    if (!r || !out || !r->bound)
        return cudaErrorInvalidValue;
    *out = r->resource.array;
    return cudaSuccess;
}

/* ---- how it is sampled ---- */

CuErr drv_cuTexRefSetAddressMode(TexRef *ref, int dim, int mode)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || dim < 0 || dim > 2 || mode < 0 || mode > TEX_BORDER)
        return cudaErrorInvalidValue;
    r->sampler.address[dim] = (uint8_t)mode;
    return rebind(r);
}

CuErr drv_cuTexRefGetAddressMode(int *out, TexRef *ref, int dim)
{
    ENTER_CTX();
    const TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || !out || dim < 0 || dim > 2)
        return cudaErrorInvalidValue;
    *out = r->sampler.address[dim];
    return cudaSuccess;
}

/* A setting of one value: cuTexRefSet<name> and cuTexRefGet<name>. */
#define SETTING(name, type, field, fits)                                                                               \
    CuErr drv_cuTexRefSet##name(TexRef *ref, type value)                                                               \
    {                                                                                                                  \
        ENTER_CTX();                                                                                                   \
        TexRef *r = ref_of(ref, TEX_TEXTURE);                                                                          \
        if (!r || !(fits))                                                                                             \
            return cudaErrorInvalidValue;                                                                              \
        r->field = value;                                                                                              \
        return rebind(r);                                                                                              \
    }                                                                                                                  \
    CuErr drv_cuTexRefGet##name(type *out, TexRef *ref)                                                                \
    {                                                                                                                  \
        ENTER_CTX();                                                                                                   \
        const TexRef *r = ref_of(ref, TEX_TEXTURE);                                                                    \
        if (!r || !out)                                                                                                \
            return cudaErrorInvalidValue;                                                                              \
        *out = r->field;                                                                                               \
        return cudaSuccess;                                                                                            \
    }
SETTING(Flags, unsigned, flags, value <= 0x73)
SETTING(MipmapLevelBias, float, sampler.bias, true)
SETTING(MaxAnisotropy, unsigned, sampler.anisotropy, true)
SETTING(FilterMode, int, sampler.linear, value == 0 || value == 1)
SETTING(MipmapFilterMode, int, sampler.mip_linear, value == 0 || value == 1)

CuErr drv_cuTexRefSetMipmapLevelClamp(TexRef *ref, float least, float most)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r)
        return cudaErrorInvalidValue;
    r->sampler.min_level = least;
    r->sampler.max_level = most;
    return rebind(r);
}

CuErr drv_cuTexRefGetMipmapLevelClamp(float *least, float *most, TexRef *ref)
{
    ENTER_CTX();
    const TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || !least || !most)
        return cudaErrorInvalidValue;
    *least = r->sampler.min_level;
    *most  = r->sampler.max_level;
    return cudaSuccess;
}

CuErr drv_cuTexRefSetBorderColor(TexRef *ref, const float *color)
{
    ENTER_CTX();
    TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || !color)
        return cudaErrorInvalidValue;
    memcpy(r->sampler.border, color, sizeof r->sampler.border);
    return rebind(r);
}

CuErr drv_cuTexRefGetBorderColor(float *color, TexRef *ref)
{
    ENTER_CTX();
    const TexRef *r = ref_of(ref, TEX_TEXTURE);
    if (!r || !color)
        return cudaErrorInvalidValue;
    memcpy(color, r->sampler.border, sizeof r->sampler.border);
    return cudaSuccess;
}
