/* SPDX-License-Identifier: Apache-2.0
 *
 * Arrays: which shapes and formats there are, their memory, and copies to and from them.
 *
 *     shape         width height depth    flags
 *     1D, 2D, 3D    w, w h, w h d         -
 *     layered       w 0 n,  w h n         LAYERED
 *     cubemap       w w 6                 CUBEMAP        layered: w w 6n
 * Limits are those of compute capability 6.0 and later.  Not supported: sparse arrays, planar and block-compressed formats. */
#include "cuda/memory/array.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "cuda/process/context.h"

static Array  *arrays;
static Mipmap *mipmaps;

/* ---- formats ---- */

bool format_of_channels(const ChannelDesc *d, TexFormat *f)
{
    const int bits[] = {d->x, d->y, d->z, d->w};
    unsigned  n      = 0;
    while (n < 4 && bits[n])
        n++;
    for (unsigned i = 0; i < 4; i++)
        if (bits[i] != (i < n ? bits[0] : 0))
            return false;
    *f = (TexFormat){.bits = (uint8_t)bits[0], .channels = (uint8_t)n};
    if (n != 1 && n != 2 && n != 4)
        return false;
    if (d->kind >= CHANNEL_NORM && d->kind <= CHANNEL_NORM_LAST) {
        int k   = d->kind - CHANNEL_NORM;
        f->kind = k < 6 ? 'u' : 's';
        f->norm = true;
        return f->bits == (k % 6 < 3 ? 8 : 16) && n == 1u << k % 3;
    }
    f->kind = d->kind == CHANNEL_SIGNED ? 's' : d->kind == CHANNEL_UNSIGNED ? 'u' : d->kind == CHANNEL_FLOAT ? 'f' : 0;
    return f->kind && (f->bits == 16 || f->bits == 32 || (f->bits == 8 && f->kind != 'f'));
}

ChannelDesc format_channels(const TexFormat *f)
{
    int         b[4];
    ChannelDesc d;
    for (int i = 0; i < 4; i++)
        b[i] = i < f->channels ? f->bits : 0;
    d = (ChannelDesc){b[0], b[1], b[2], b[3],
                      f->kind == 's'   ? CHANNEL_SIGNED
                      : f->kind == 'u' ? CHANNEL_UNSIGNED
                                       : CHANNEL_FLOAT};
    if (f->norm)
        d.kind = CHANNEL_NORM + (f->kind == 's' ? 6 : 0) + (f->bits == 16 ? 3 : 0) +
                 (f->channels == 4 ? 2 : f->channels - 1);
    return d;
}

static const struct {
    unsigned  code;
    TexFormat format;
} driver_formats[] = {
    {0x01, {'u', 8, 0, false}},  {0x02, {'u', 16, 0, false}}, {0x03, {'u', 32, 0, false}}, {0x08, {'s', 8, 0, false}},
    {0x09, {'s', 16, 0, false}}, {0x0a, {'s', 32, 0, false}}, {0x10, {'f', 16, 0, false}}, {0x20, {'f', 32, 0, false}},
    {0xc0, {'u', 8, 1, true}},   {0xc1, {'u', 8, 2, true}},   {0xc2, {'u', 8, 4, true}},   {0xc3, {'u', 16, 1, true}},
    {0xc4, {'u', 16, 2, true}},  {0xc5, {'u', 16, 4, true}},  {0xc6, {'s', 8, 1, true}},   {0xc7, {'s', 8, 2, true}},
    {0xc8, {'s', 8, 4, true}},   {0xc9, {'s', 16, 1, true}},  {0xca, {'s', 16, 2, true}},  {0xcb, {'s', 16, 4, true}}};

bool format_of_driver(unsigned code, unsigned channels, TexFormat *f)
{
    for (size_t i = 0; i < sizeof driver_formats / sizeof *driver_formats; i++) {
        *f = driver_formats[i].format;
        if (driver_formats[i].code != code || (channels != 1 && channels != 2 && channels != 4))
            continue;
        if (f->norm)
            return f->channels == channels;
        f->channels = (uint8_t)channels;
        return true;
    }
    return false;
}

unsigned format_driver(const TexFormat *f)
{
    for (size_t i = 0; i < sizeof driver_formats / sizeof *driver_formats; i++) {
        const TexFormat *g = &driver_formats[i].format;
        if (g->kind == f->kind && g->bits == f->bits && g->norm == f->norm && (!f->norm || g->channels == f->channels))
            return driver_formats[i].code;
    }
    return 0;
}

/* ---- shapes ---- */

static bool at_most(Extent e, size_t w, size_t h, size_t d)
{
    return e.width <= w && e.height <= h && e.depth <= d;
}

static CuErr check_shape(Extent e, unsigned flags)
{
    bool layered = flags & ARRAY_LAYERED, cube = flags & ARRAY_CUBEMAP, gather = flags & ARRAY_GATHER;
    bool fits;
    if (flags & (ARRAY_SPARSE | ARRAY_DEFERRED))
        return cudaErrorNotSupported;
    if (flags & ~(unsigned)(ARRAY_LAYERED | ARRAY_SURFACE | ARRAY_CUBEMAP | ARRAY_GATHER | ARRAY_VIDEO) || !e.width ||
        (!e.height && e.depth && !layered) || (layered && !e.depth))
        return cudaErrorInvalidValue;
    if (cube) {
        if (e.width != e.height || (layered ? e.depth % 6 != 0 : e.depth != 6))
            return cudaErrorInvalidValue;
        fits = at_most(e, 32768, 32768, layered ? 2046 : 6);
    } else if (layered) {
        fits = at_most(e, 32768, 32768, 2048);
    } else if (e.depth) {
        fits = at_most(e, 16384, 16384, 16384) || at_most(e, 8192, 8192, 32768);
    } else {
        fits = gather ? at_most(e, 32768, 32768, 0) : at_most(e, 131072, 65536, 0);
    }
    if (gather && (!e.height || e.depth))
        return cudaErrorInvalidValue;
    return fits ? cudaSuccess : cudaErrorInvalidValue;
}

Extent array_size(const Array *a)
{
    Extent e = a->extent;
    return (Extent){e.width, e.height ? e.height : 1, e.depth ? e.depth : 1};
}

static Array *make(const TexFormat *f, Extent e, unsigned flags)
{
    Array *a   = xcalloc(1, sizeof *a);
    *a         = (Array){.device = state_current(), .extent = e, .flags = flags, .format = *f};
    a->pitch   = e.width * texel_bytes(f);
    a->slice   = a->pitch * array_size(a).height;
    a->next    = arrays;
    arrays     = a;
    a->context = context_now();
    if (state.options.check)
        a->caller = caller_now();
    return a;
}

const Array *array_next(const Array *a)
{
    return a ? a->next : arrays;
}

static void forget(Array *a)
{
    for (Array **at = &arrays; *at; at = &(*at)->next)
        if (*at == a) {
            *at = a->next;
            break;
        }
    free(a);
}

static CuErr reserve(size_t bytes, uint64_t *base)
{
    CuErr     e;
    WwPtr     p = 0;
    WwDevice *d = state_device(state_current(), &e);
    if (!d)
        return e;
    if (ww_alloc(d, bytes, &p) != WW_OK)
        return cudaErrorMemoryAllocation;
    *base = p;
    emulator_tell(d, MEMORY_SEEN, p, 0, bytes); /* by textures and surfaces */
    return cudaSuccess;
}

CuErr array_new(Array **out, const TexFormat *f, Extent e, unsigned flags)
{
    CuErr err = check_shape(e, flags);
    if (err != cudaSuccess)
        return err;
    Array *a = make(f, e, flags);
    err      = reserve(a->slice * array_size(a).depth, &a->base);
    if (err != cudaSuccess)
        forget(a);
    else
        *out = a;
    return err;
}

CuErr array_free(Array *a)
{
    if (a->mipmap)
        return cudaErrorInvalidValue;
    state_parts.work_settle(-1);
    ww_free(state.device[a->device], a->base);
    forget(a);
    return cudaSuccess;
}

Array *array_of(void *handle)
{
    Array *a = arrays;
    while (a && a != handle)
        a = a->next;
    return a;
}

/* ---- mipmapped arrays ---- */

static unsigned most_levels(Extent e, bool layered)
{
    size_t   side = e.width > e.height ? e.width : e.height;
    unsigned n    = 1;
    side          = !layered && e.depth > side ? e.depth : side;
    while (side >>= 1)
        n++;
    return n;
}

static size_t half(size_t n, unsigned level)
{
    return n == 0 ? 0 : n >> level ? n >> level : 1;
}

CuErr mipmap_new(Mipmap **out, const TexFormat *f, Extent e, unsigned nlevels, unsigned flags)
{
    bool  layers = flags & (ARRAY_LAYERED | ARRAY_CUBEMAP);
    CuErr err    = check_shape(e, flags);
    if (err != cudaSuccess)
        return err;
    unsigned most = most_levels(e, layers);
    Mipmap  *m    = xcalloc(1, sizeof *m);
    m->device     = state_current();
    m->nlevels    = nlevels == 0 ? 1 : nlevels > most ? most : nlevels;
    for (unsigned i = 0; i < m->nlevels; i++) {
        Extent x            = {half(e.width, i), half(e.height, i), layers ? e.depth : half(e.depth, i)};
        m->level[i]         = make(f, x, flags);
        m->level[i]->mipmap = m;
        m->level[i]->base   = m->bytes;
        m->bytes += (m->level[i]->slice * array_size(m->level[i]).depth + 255) & ~(size_t)255;
    }
    err = reserve(m->bytes, &m->base);
    for (unsigned i = 0; i < m->nlevels; i++)
        m->level[i]->base += m->base;
    m->next = mipmaps;
    mipmaps = m;
    if (err != cudaSuccess)
        mipmap_free(m);
    else
        *out = m;
    return err;
}

CuErr mipmap_free(Mipmap *m)
{
    state_parts.work_settle(-1);
    for (Mipmap **at = &mipmaps; *at; at = &(*at)->next)
        if (*at == m) {
            *at = m->next;
            break;
        }
    for (unsigned i = 0; i < m->nlevels; i++)
        forget(m->level[i]);
    if (m->base)
        ww_free(state.device[m->device], m->base);
    free(m);
    return cudaSuccess;
}

Mipmap *mipmap_of(void *handle)
{
    Mipmap *m = mipmaps;
    while (m && m != handle)
        m = m->next;
    return m;
}

/* ---- devices ---- */

void array_drop_device(int n)
{
    for (Mipmap *m = mipmaps, *next; m; m = next) {
        next = m->next;
        if (m->device == n)
            mipmap_free(m);
    }
    for (Array *a = arrays, *next; a; a = next) {
        next = a->next;
        if (a->device == n)
            array_free(a);
    }
}

size_t array_used(int n)
{
    size_t sum = 0;
    for (const Array *a = arrays; a; a = a->next)
        sum += a->device == n ? a->slice * array_size(a).depth : 0;
    return sum;
}

/* ---- copies ---- */

/* Where a copy of that size begins, and its strides. */
static CuErr end_of(const CopyEnd *e, size_t width, size_t height, size_t depth, char **p, size_t *pitch, size_t *slice)
{
    const Array *a = e->array;
    if (!a) {
        if (!e->ptr)
            return cudaErrorInvalidValue;
        if ((height > 1 || depth > 1) && e->pitch < size_add(e->x, width))
            return cudaErrorInvalidPitchValue;
        *pitch      = e->pitch;
        *slice      = size_mul(e->pitch, e->height);
        size_t skip = size_add(size_add(size_mul(e->z, *slice), size_mul(e->y, e->pitch)), e->x);
        *p          = (char *)e->ptr + skip;
        return size_fits((uint64_t)(uintptr_t)e->ptr, skip) ? cudaSuccess : cudaErrorInvalidValue;
    }
    Extent n = array_size(a);
    if (size_add(e->x, width) > a->pitch || size_add(e->y, height) > n.height || size_add(e->z, depth) > n.depth)
        return cudaErrorInvalidValue;
    *pitch = a->pitch;
    *slice = a->slice;
    *p     = (char *)(uintptr_t)a->base + e->z * a->slice + e->y * a->pitch + e->x;
    return cudaSuccess;
}

/* Does the direction call pageable memory of the host device memory? */
static bool host_as_device(const CopyEnd *dst, const CopyEnd *src, int kind)
{
    bool to   = kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE,
         from = kind >= COPY_DEVICE_TO_HOST && kind != COPY_DEFAULT;
    return (to && !dst->array && !devmem_is_device(dst->ptr)) || (from && !src->array && !devmem_is_device(src->ptr));
}

/* The direction must agree with arrays being device memory. */
static bool direction_fits(const CopyEnd *dst, const CopyEnd *src, int kind)
{
    bool to   = kind == COPY_HOST_TO_DEVICE || kind == COPY_DEVICE_TO_DEVICE || kind == COPY_DEFAULT;
    bool from = kind == COPY_DEVICE_TO_HOST || kind == COPY_DEVICE_TO_DEVICE || kind == COPY_DEFAULT;
    return (!dst->array || to) && (!src->array || from);
}

CuErr array_copy_node(const CopyEnd *dst, const CopyEnd *src, size_t width, size_t height, size_t depth, int kind,
                      NodeCopy *out)
{
    char *d, *s;
    if (kind < COPY_HOST_TO_HOST || kind > COPY_DEFAULT || !direction_fits(dst, src, kind))
        return cudaErrorInvalidMemcpyDirection;
    if ((!dst->array && dst->pitch && dst->pitch < width) || (!src->array && src->pitch && src->pitch < width))
        return cudaErrorInvalidPitchValue;
    if (host_as_device(dst, src, kind) && (dst->array || src->array))
        return cudaErrorInvalidValue;
    bool array = dst->array || src->array; /* then addresses say what the other end is, as unified addressing has it */
    *out       = (NodeCopy){.width = width, .height = height, .depth = depth, .kind = array ? COPY_DEFAULT : kind};
    if (!width || !height || !depth)
        return cudaSuccess;
    CuErr e = end_of(dst, width, height, depth, &d, &out->dpitch, &out->dslice);
    if (e == cudaSuccess)
        e = end_of(src, width, height, depth, &s, &out->spitch, &out->sslice);
    if (e != cudaSuccess)
        return e;
    out->dst = d;
    out->src = s;
    return cudaSuccess;
}

/* An end of cudaMemcpy3DParms: positions in an array count texels. */
static CuErr parms_end(void *array, Pos pos, PitchedPtr p, CopyEnd *out)
{
    *out = (CopyEnd){.ptr = p.ptr, .pitch = p.pitch, .height = p.ysize, .x = pos.x, .y = pos.y, .z = pos.z};
    if (!array)
        return p.ptr ? cudaSuccess : cudaErrorInvalidValue;
    out->array = array_of(array);
    if (!out->array || p.ptr)
        return cudaErrorInvalidValue;
    out->x = size_mul(out->x, texel_bytes(&out->array->format));
    return cudaSuccess;
}

CuErr array_copy_parms(const CopyParms3D *c, NodeCopy *out)
{
    CopyEnd dst, src;
    if (!c)
        return cudaErrorInvalidValue;
    if (c->kind < COPY_HOST_TO_HOST || c->kind > COPY_DEFAULT)
        return cudaErrorInvalidMemcpyDirection;
    *out = (NodeCopy){.kind = c->kind};
    if (!c->extent.width || !c->extent.height || !c->extent.depth)
        return cudaSuccess;
    CuErr e = parms_end(c->dst_array, c->dst_pos, c->dst, &dst);
    if (e == cudaSuccess)
        e = parms_end(c->src_array, c->src_pos, c->src, &src);
    if (e != cudaSuccess)
        return e;
    size_t       width = c->extent.width;
    const Array *a     = src.array ? src.array : dst.array;
    if (a) /* the extent counts texels as soon as an array takes part */
        width = size_mul(width, texel_bytes(&a->format));
    if (src.array && dst.array && texel_bytes(&src.array->format) != texel_bytes(&dst.array->format))
        return cudaErrorInvalidValue;
    if (a && host_as_device(&dst, &src, c->kind))
        return cudaErrorInvalidValue;
    e = array_copy_node(&dst, &src, width, c->extent.height, c->extent.depth, a ? COPY_DEFAULT : c->kind, out);
    return e == cudaSuccess ? e : cudaErrorInvalidValue;
}
