/* SPDX-License-Identifier: Apache-2.0
 *
 * What a texture or surface may be made from, and the emulator's object for it.
 * Handles are numbers from 1 that are never used again in the process, so that a destroyed object can be named. */
#include "cuda/memory/texobj.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "cuda/memory/devmem.h"

static TexEntry *entries;
static uint64_t  handles;

const TexEntry *texobj_find(uint64_t handle, TexKind kind)
{
    const TexEntry *e = entries;
    while (e && (e->handle != handle || e->kind != kind))
        e = e->next;
    return e;
}

/* ---- checks ---- */

/* Bytes from the resource's start that are in its allocation; 0: it is in none. */
static uint64_t room(const Resource *r)
{
    const Range *m = devmem_range(r->ptr);
    return m ? m->base + m->bytes - r->ptr : 0;
}

static CuErr check_memory(const Resource *r)
{
    unsigned texel = texel_bytes(&r->format);
    if (!r->ptr || r->ptr % TEXTURE_ALIGN || !room(r))
        return cudaErrorInvalidValue;
    if (r->type == RESOURCE_PITCH)
        return r->width && r->height && r->pitch % PITCH_ALIGN == 0 && r->width <= 131072 && r->height <= 65000
                   ? cudaSuccess
                   : cudaErrorInvalidValue;
    return r->bytes / texel <= texobj_linear_width(&r->format) ? cudaSuccess : cudaErrorInvalidValue;
}

uint64_t texobj_linear_width(const TexFormat *f)
{
    uint64_t most = (UINT64_C(1) << 32) / texel_bytes(f);
    return most < UINT64_C(1) << 30 ? most : UINT64_C(1) << 30;
}

const TexFormat *resource_format(const Resource *r)
{
    return r->type == RESOURCE_ARRAY    ? &r->array->format
           : r->type == RESOURCE_MIPMAP ? &r->mipmap->level[0]->format
                                        : &r->format;
}

static CuErr check_sampler(const TexEntry *e)
{
    const TexSampler *s         = &e->sampler;
    const TexFormat  *f         = resource_format(&e->resource);
    bool              fractions = f->kind == 'f' || f->norm || s->to_float;
    for (int i = 0; i < 3; i++)
        if (s->address[i] > TEX_BORDER)
            return cudaErrorInvalidValue;
    if (s->to_float && (f->kind == 'f' || f->bits == 32))
        return cudaErrorInvalidNormSetting;
    if (s->linear && !fractions)
        return cudaErrorInvalidFilterSetting;
    return cudaSuccess;
}

/* ---- making ---- */

static TexShape shape_of(const Array *a)
{
    bool layered = a->flags & ARRAY_LAYERED;
    if (a->flags & ARRAY_CUBEMAP)
        return layered ? TEX_CUBE_LAYERED : TEX_CUBE;
    if (layered)
        return a->extent.height ? TEX_2D_LAYERED : TEX_1D_LAYERED;
    return a->extent.depth ? TEX_3D : a->extent.height ? TEX_2D : TEX_1D;
}

static TexLevel level_of(const Array *a)
{
    Extent n = array_size(a);
    return (TexLevel){a->base, (uint32_t)n.width, (uint32_t)n.height, (uint32_t)n.depth, a->pitch, a->slice};
}

static void from_levels(TexObject *o, Array *const *level, unsigned n)
{
    o->shape   = shape_of(level[0]);
    o->format  = level[0]->format;
    o->nlevels = n;
    for (unsigned i = 0; i < n; i++)
        o->level[i] = level_of(level[i]);
    o->base  = o->level[0].base;
    o->bytes = o->level[n - 1].base + o->level[n - 1].slice * o->level[n - 1].depth - o->base;
}

/* Rows or texels that are not in the allocation are left out, and said so: the card would read what lies there. */
static void from_memory(TexObject *o, const Resource *r)
{
    uint64_t texel = texel_bytes(&r->format), there = room(r);
    bool     plane = r->type == RESOURCE_PITCH;
    uint64_t row = r->width * texel, asked = plane ? size_rows(r->pitch, r->height, row) : r->bytes / texel * texel;
    uint64_t rows    = !plane ? 1 : asked <= there ? r->height : there < row ? 0 : (there - row) / r->pitch + 1;
    o->shape         = plane ? TEX_2D : TEX_1D;
    o->format        = r->format;
    o->linear_memory = !plane;
    o->nlevels       = 1;
    o->level[0]      = (TexLevel){.base   = r->ptr,
                                  .width  = (uint32_t)(plane ? r->width : (asked < there ? asked : there) / texel),
                                  .height = (uint32_t)rows,
                                  .depth  = 1,
                                  .pitch  = r->pitch};
    o->base          = r->ptr;
    o->bytes         = asked < there ? asked : there;
    if (asked > there)
        state_say("a texture of %llu bytes is made over memory of %llu bytes; the rest cannot be fetched",
                  (unsigned long long)asked, (unsigned long long)there);
}

/* A view sees the texels in another format of the same size, some of the levels, some of the layers. */
static CuErr apply_view(TexObject *o, const View *v)
{
    static const char    kinds[]    = "uuusssuuusssuuusssffffff";
    static const uint8_t bits[]     = {8, 16, 32, 16, 32};
    static const uint8_t channels[] = {1, 2, 4};
    TexFormat            f;
    if (v->format < 1 || v->format > 24)
        return v->format ? cudaErrorNotSupported : cudaErrorInvalidValue;
    unsigned k   = v->format - 1;
    f            = (TexFormat){.kind = kinds[k], .bits = bits[k < 18 ? k / 6 : k / 3 - 3], .channels = channels[k % 3]};
    bool layered = o->shape == TEX_1D_LAYERED || o->shape == TEX_2D_LAYERED || o->shape >= TEX_CUBE;
    if (texel_bytes(&f) != texel_bytes(&o->format) || v->width != o->level[0].width || v->last_level < v->first_level ||
        v->last_level >= o->nlevels ||
        (layered && (v->last_layer < v->first_layer || v->last_layer >= o->level[0].depth)))
        return cudaErrorInvalidValue;
    o->format  = f;
    o->nlevels = v->last_level - v->first_level + 1;
    memmove(o->level, o->level + v->first_level, o->nlevels * sizeof *o->level);
    for (unsigned i = 0; layered && i < o->nlevels; i++) {
        o->level[i].base += v->first_layer * o->level[i].slice;
        o->level[i].depth = v->last_layer - v->first_layer + 1;
    }
    return cudaSuccess;
}

static CuErr object_of(const TexEntry *e, TexObject *o)
{
    const Resource *r = &e->resource;
    *o                = (TexObject){.kind = e->kind, .sampler = e->sampler};
    switch (r->type) {
    case RESOURCE_ARRAY:
        if (!r->array)
            return cudaErrorInvalidResourceHandle;
        from_levels(o, &r->array, 1);
        break;
    case RESOURCE_MIPMAP:
        if (!r->mipmap)
            return cudaErrorInvalidResourceHandle;
        from_levels(o, r->mipmap->level, r->mipmap->nlevels);
        break;
    default: {
        CuErr err = check_memory(r);
        if (err != cudaSuccess)
            return err;
        from_memory(o, r);
        if (!o->level[0].height)
            return cudaErrorInvalidValue;
    }
    }
    return e->viewed ? apply_view(o, &e->view) : cudaSuccess;
}

CuErr texobj_new(TexEntry *e)
{
    TexObject o;
    CuErr     err;
    WwDevice *d = state_device(state_current(), &err);
    if (!d)
        return err;
    err = object_of(e, &o);
    if (err == cudaSuccess && e->kind == TEX_TEXTURE)
        err = check_sampler(e);
    if (err == cudaSuccess && e->kind == TEX_SURFACE && e->resource.type != RESOURCE_ARRAY)
        err = cudaErrorInvalidValue;
    if (err != cudaSuccess)
        return err;
    e->handle      = ++handles;
    e->device      = state_current();
    TexEntry *kept = xmalloc(sizeof *kept);
    *kept          = *e;
    kept->next     = entries;
    entries        = kept;
    emu_texture_enter(emulator_emu(d), e->handle, &o);
    emulator_tell(d, MEMORY_SEEN, o.level[0].base, 0, 1);
    return cudaSuccess;
}

CuErr texobj_make(uint64_t *out, TexEntry *e, const View *v)
{
    e->viewed = v != NULL;
    if (v)
        e->view = *v;
    CuErr err = texobj_new(e);
    if (err == cudaSuccess)
        *out = e->handle;
    return err;
}

CuErr texobj_sampling(TexSampler *s, const int address[3], int filter, int mip_filter, const float border[4])
{
    if (filter < 0 || filter > 1 || mip_filter < 0 || mip_filter > 1)
        return cudaErrorInvalidValue;
    s->linear     = filter;
    s->mip_linear = mip_filter;
    for (int i = 0; i < 3; i++) {
        if (address[i] < 0 || address[i] > TEX_BORDER)
            return cudaErrorInvalidValue;
        s->address[i] = (uint8_t)address[i];
    }
    memcpy(s->border, border, sizeof s->border);
    return cudaSuccess;
}

CuErr texobj_view(View *out, uint64_t handle)
{
    const TexEntry *e = texobj_find(handle, TEX_TEXTURE);
    if (!e || !out)
        return cudaErrorInvalidValue;
    *out = e->view;
    return cudaSuccess;
}

void texobj_destroy(uint64_t handle, TexKind kind)
{
    for (TexEntry **at = &entries, *e; (e = *at); at = &e->next)
        if (e->handle == handle && e->kind == kind) {
            *at = e->next;
            emu_texture_destroy(emulator_emu(state.device[e->device]), handle);
            free(e);
            return;
        }
}

void texobj_unbound(uint64_t handle, TexKind kind)
{
    const TexEntry  *e    = texobj_find(handle, kind);
    const WorkOrder *host = e ? state_parts.host_order() : NULL;
    if (host)
        emulator_tell_work(state.device[e->device], MEMORY_UNBOUND, handle, 0, 0, host);
}
