/* SPDX-License-Identifier: Apache-2.0
 *
 * One fetch: which levels, which texels of them, what becomes of their values; and the device's table of texture and surface objects.
 *
 * A one-dimensional texture is a two-dimensional one of height 1 read at y = 0, as on the card: with a linear filter and a border in
 * the second direction the border shares in the result.
 * Approximate: levels from gradients are in texlod.c; anisotropic filters are not modelled. */
#include "emu/texture/texture.h"

#include <math.h>
#include <string.h>

#include "base/arena.h"
#include "base/bits.h"
#include "base/half.h"
#include "emu/core/program.h"
#include "emu/texture/texfilter.h"
#include "emu/texture/texlod.h"
#include "emu/texture/texwarp.h"

/* ---- the table ---- */

void emu_texture_enter(EmuDevice *d, uint64_t handle, const TexObject *o)
{
    if (handle >= d->ntextures) {
        size_t n    = (size_t)handle * 2 + 16;
        d->textures = xrealloc(d->textures, n * sizeof *d->textures);
        memset(d->textures + d->ntextures, 0, (n - d->ntextures) * sizeof *d->textures);
        d->ntextures = n;
    }
    d->textures[handle]  = xmalloc(sizeof *o);
    *d->textures[handle] = *o;

    d->textures[handle]->handle = handle;
}

bool emu_texture_destroy(EmuDevice *d, uint64_t handle)
{
    TexObject *o = handle < d->ntextures ? d->textures[handle] : NULL;
    if (!o || o->destroyed)
        return false;
    o->destroyed = true;
    return true;
}

const TexObject *emu_texture(const EmuDevice *d, uint64_t handle)
{
    return handle < d->ntextures ? d->textures[handle] : NULL;
}

/* ---- texels ---- */

typedef struct Gathered { /* texels of one fetch and their weights, slab by slab: 4 each */
    uint32_t v[16][4];
    uint32_t w[16];
    unsigned n, reach; /* reach: as texfilter_weights gives it */
} Gathered;

/* Fractions are rounded to the nearest value of the format, half down; whole numbers have the low bits of the float's pattern. */
static uint32_t border_value(const TexFormat *f, const TexSampler *s, unsigned c)
{
    float    b = s->border[c];
    uint32_t v = f32_bits(b), shift = 32u - f->bits;
    if (c >= f->channels)
        return 0;
    if (f->kind == 'f' && f->bits == 16)
        return half_from_double((double)b);
    if (f->kind == 'f')
        return v;
    if (!s->to_float && !f->norm)
        return f->kind == 's' ? (uint32_t)((int32_t)(v << shift) >> shift) : v << shift >> shift;
    double most = (double)((UINT64_C(1) << (f->bits - (f->kind == 's'))) - 1), r = ceil((double)b * most - 0.5);
    r = r > most ? most : f->kind == 's' ? (r < -most ? -most : r) : r < 0 ? 0 : r;
    return f->kind == 's' ? (uint32_t)(int32_t)r : (uint32_t)r;
}

static bool inside(const TexLevel *l, int64_t x, int64_t y, int64_t z)
{
    return x >= 0 && x < l->width && y >= 0 && y < l->height && z >= 0 && z < l->depth;
}

/* The format a channel is filtered in.  Colours of sRGB textures (of two channels: the first) become light when they are
 * read; alpha stays what it is. */
static TexFormat channel_format(const TexObject *t, const TexSampler *s, unsigned c)
{
    const TexFormat *f = &t->format;
    bool srgb = s->srgb && c < (f->channels == 2 ? 1 : 3) && f->kind == 'u' && f->bits == 8 && (s->to_float || f->norm);
    return srgb ? (TexFormat){'l', 16, f->channels, false} : *f;
}

static void read_texel(const TexObject *t, const TexSampler *s, const TexLevel *l, int64_t x, int64_t y, int64_t z,
                       TexReads *reads, uint32_t v[4])
{
    bool there = inside(l, x, y, z);
    if (there)
        texel_read(t, l, x, y, z, v);
    if (there && reads && reads->n < TEX_READS)
        reads->at[reads->n++] = texel_address(t, l, x, y, z);
    if (there && !s->srgb)
        return;
    for (unsigned c = 0; c < 4; c++) {
        bool srgb = channel_format(t, s, c).kind != t->format.kind;
        if (!there)
            v[c] = srgb ? texel_to_srgb(s->border[c]) : border_value(&t->format, s, c);
        if (srgb)
            v[c] = c < t->format.channels ? texel_from_srgb(v[c]) : 0;
    }
}

/* ---- places ---- */

typedef struct Place { /* of one fetch in one level */
    TexAxis axis[3];
    int64_t layer;
    bool    volume, seamless;
} Place;

static int64_t clamp_layer(int32_t layer, uint32_t n)
{
    return (uint32_t)layer >= n ? n - 1 : (uint32_t)layer; /* negative: the last */
}

static TexAxis axis_of(const TexObject *t, const TexSampler *s, const TexFetch *q, unsigned k, double f, uint32_t n)
{
    bool       seamless = (t->shape == TEX_CUBE || t->shape == TEX_CUBE_LAYERED) && s->seamless;
    TexAddress mode     = seamless ? TEX_BORDER : (TexAddress)s->address[k];
    return texcoord_float(f, n, mode, s->normalised,
                          q->gather >= 0 ? TEX_REACH_SQUARE
                          : s->linear    ? TEX_REACH_LINEAR
                                         : TEX_REACH_POINT,
                          q->offset[k]);
}

static Place place_of(const TexObject *t, const TexSampler *s, const TexLevel *l, const TexFetch *q)
{
    Place  p = {.volume = t->shape == TEX_3D};
    double u = (double)q->f[0], v = (double)q->f[1];
    if (t->shape == TEX_CUBE || t->shape == TEX_CUBE_LAYERED) {
        unsigned face = texcoord_cube(q->f, &u, &v);
        p.layer       = face;
        p.seamless    = s->seamless && s->linear;
        if (t->shape == TEX_CUBE_LAYERED)
            p.layer += 6 * clamp_layer(q->layer, l->depth / 6);
    } else if (t->shape == TEX_1D_LAYERED || t->shape == TEX_2D_LAYERED) {
        p.layer = clamp_layer(q->layer, l->depth);
    }
    p.axis[0] = axis_of(t, s, q, 0, u, l->width);
    if (t->shape == TEX_1D)
        p.axis[1] = axis_of(t, s, q, 1, 0, l->height);
    else if (t->shape != TEX_1D_LAYERED)
        p.axis[1] = axis_of(t, s, q, 1, v, l->height);
    if (p.volume)
        p.axis[2] = axis_of(t, s, q, 2, (double)q->f[2], l->depth);
    return p;
}

/* Where three faces meet there is no fourth texel: its weight goes to the others, in thirds, what is left to the one across. */
static void share_corner(uint32_t w[4], unsigned corner)
{
    uint32_t third = (2 * w[corner] + 3) / 6;
    w[corner ^ 3] += w[corner] - 2 * third;
    w[corner ^ 1] += third;
    w[corner ^ 2] += third;
    w[corner] = 0;
}

static bool beyond(int64_t i, uint32_t n)
{
    return i < 0 || i >= n;
}

/* Adds a level's texels, which together weigh `total`. */
static void add_level(const TexObject *t, const TexSampler *s, const TexLevel *l, const TexFetch *q, uint32_t total,
                      Gathered *g)
{
    Place     p = place_of(t, s, l, q);
    uint32_t *w = &g->w[g->n], all[8];
    g->reach |= texfilter_weights(&p.axis[0], &p.axis[1], &p.axis[2], total, all) << g->n;
    memcpy(w, all, (p.volume ? 8 : 4) * sizeof *w);
    for (unsigned k = 0; k < (p.volume ? 8u : 4u); k++, g->n++) {
        int64_t x = p.axis[0].at[k & 1], y = p.axis[1].at[k >> 1 & 1], z = p.volume ? p.axis[2].at[k >> 2] : p.layer;
        if (p.seamless && beyond(x, l->width) && beyond(y, l->height)) {
            share_corner(w, k);
            memset(g->v[g->n], 0, sizeof g->v[0]);
            continue;
        }
        if (p.seamless && !inside(l, x, y, z))
            z += (int64_t)texcoord_fold((unsigned)(z % 6), &x, &y, l->width) - z % 6;
        if (!w[k] && !(g->reach >> g->n & 1) && !p.seamless && q->gather < 0) { /* nobody asks for its value */
            memset(g->v[g->n], 0, sizeof g->v[0]);
            continue;
        }
        read_texel(t, s, l, x, y, z, q->reads, g->v[g->n]);
    }
}

/* ---- levels ---- */

/* The first of the levels to read and, in 1/256, the part of the next. */
static unsigned choose_level(const TexObject *t, const TexSampler *s, const TexFetch *q, uint32_t *part)
{
    *part = 0;
    if (t->nlevels == 1)
        return 0;
    double lod = q->lod_mode == TEX_LOD_LEVEL      ? (double)q->lod
                 : q->lod_mode == TEX_LOD_GRADIENT ? texlod_of_gradient(t, q)
                                                   : 0;
    if (q->lod_mode != TEX_LOD_BASE)
        lod += (double)s->bias;
    lod         = lod > (double)s->min_level ? lod : (double)s->min_level; /* NaN too */
    lod         = lod < (double)s->max_level ? lod : (double)s->max_level;
    double most = (double)t->nlevels - 1, v = lod > 0 ? (lod < most ? lod : most) : 0;
    if (!s->mip_linear)
        return (unsigned)(v + 0.5);
    unsigned fixed = (unsigned)(v * 256);
    *part          = fixed & 255;
    return fixed >> 8;
}

/* ---- the fetch ---- */

static uint32_t point_value(const TexObject *t, const TexSampler *s, uint32_t v, unsigned c)
{
    TexFormat f = channel_format(t, s, c);
    if (c >= f.channels || (f.kind != 'f' && f.kind != 'l' && !s->to_float && !f.norm))
        return v;
    return f32_bits(texel_to_float(&f, v));
}

static uint32_t filtered_value(const TexObject *t, const TexSampler *s, const Gathered *g, unsigned c)
{
    TexFormat f = channel_format(t, s, c);
    uint32_t  v[16];
    for (unsigned k = 0; k < g->n; k++)
        v[k] = g->v[k][c];
    return c < f.channels ? texfilter_sum(texel_arithmetic(&f), v, g->w, g->n, g->reach) : 0;
}

static void gather(const TexObject *t, const TexSampler *s, const TexFetch *q, const Gathered *g, uint32_t out[4])
{
    static const unsigned order[] = {2, 3, 1, 0}; /* (0, 1), (1, 1), (1, 0), (0, 0) */
    for (unsigned k = 0; k < 4; k++)
        out[k] = point_value(t, s, g->v[order[k]][q->gather], (unsigned)q->gather);
}

static int64_t edge(int64_t i, uint32_t n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/* Whole coordinates are neither filtered nor wrapped: outside every value is 0.  In one dimension they are for plain memory only: of
 * an array they fetch 0.  With a level they move to the edge, and a level that is not there is 0. */
static void whole_fetch(const TexObject *t, const TexSampler *s, uint32_t level, const TexFetch *q, uint32_t out[4])
{
    const TexLevel *l       = &t->level[level < t->nlevels ? level : 0];
    bool            layered = t->shape == TEX_1D_LAYERED || t->shape == TEX_2D_LAYERED;
    int64_t         x = (int64_t)q->i[0] + q->offset[0], y = 0, z = layered ? q->layer : 0;
    uint32_t        v[4];
    if (t->shape == TEX_2D || t->shape == TEX_3D || t->shape == TEX_2D_LAYERED)
        y = (int64_t)q->i[1] + q->offset[1];
    if (t->shape == TEX_3D)
        z = (int64_t)q->i[2] + q->offset[2];
    if (q->lod_mode == TEX_LOD_LEVEL) {
        if (level >= t->nlevels)
            return;
        x = edge(x, l->width);
        y = edge(y, l->height);
        z = edge(z, l->depth);
    }
    if (!inside(l, x, y, z) || (t->shape == TEX_1D && !t->linear_memory) || t->shape >= TEX_CUBE)
        return;
    read_texel(t, s, l, x, y, z, q->reads, v);
    for (unsigned c = 0; c < 4; c++)
        out[c] = point_value(t, s, v[c], c);
}

void texture_fetch(const TexObject *t, const TexSampler *s, const TexFetch *q, uint32_t out[4])
{
    Gathered g;
    uint32_t part;
    unsigned l = choose_level(t, s, q, &part);
    memset(out, 0, 4 * sizeof *out);
    if (q->whole) {
        whole_fetch(t, s, q->lod_mode == TEX_LOD_LEVEL ? (uint32_t)q->whole_lod : l, q, out);
        return;
    }
    if (t->linear_memory) /* only whole coordinates reach it */
        return;
    if (!s->linear && !part && q->gather < 0) {
        Place p = place_of(t, s, &t->level[l], q);
        read_texel(t, s, &t->level[l], p.axis[0].at[0], p.axis[1].at[0], p.volume ? p.axis[2].at[0] : p.layer, q->reads,
                   g.v[0]);
        for (unsigned c = 0; c < 4; c++)
            out[c] = point_value(t, s, g.v[0][c], c);
        return;
    }
    g.n = g.reach = 0;
    add_level(t, s, &t->level[l], q, 256 - part, &g);
    if (part)
        add_level(t, s, &t->level[l + 1], q, part, &g);
    if (q->gather >= 0) {
        gather(t, s, q, &g, out);
        return;
    }
    for (unsigned c = 0; c < 4; c++)
        out[c] = filtered_value(t, s, &g, c);
}

/* ---- warps ---- */

bool texture_plain(const TexObject *t, const TexSampler *s, bool whole, TexWarp *out)
{
    const TexFormat *f    = &t->format;
    bool             flat = t->shape == TEX_1D || t->shape == TEX_2D,
         shown            = f->kind == 'f' ? f->bits == 16 : s->to_float || f->norm;
    if (t->nlevels != 1 || s->srgb || !flat || whole != t->linear_memory || (whole && t->shape != TEX_1D))
        return false;
    *out = (TexWarp){
        .object = t, .sampler = s, .arithmetic = texel_arithmetic(f), .bytes = texel_bytes(f), .fractions = shown};
    for (unsigned c = 0; c < 4 && (s->address[0] == TEX_BORDER || s->address[1] == TEX_BORDER); c++)
        out->border[c] = border_value(f, s, c);
    return true;
}
