/* SPDX-License-Identifier: Apache-2.0
 *
 * Handlers of tex, tld4, txq, suq and istypep, and what a handle stands for.
 *
 * A handle is a number that the runtime gave out, or, for a .texref or .surfref, the variable's address: its eight bytes hold the
 * handle that is bound to it.  A handle of no object, of a destroyed one or of one whose memory is gone is a fault.
 * A warp's fetches from one plain texture are done together (texwarp.h), unless somebody asks which texels they read: observers of
 * ACCESS_TEXTURE, and the one that knows what nobody wrote.  No counter has them. */
#include "emu/texture/tex_op.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "emu/access/poison.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/notify.h"
#include "emu/texture/texwarp.h"

/* ---- handles ---- */

static const char *const kind_names[] = {"texture", "surface"};

static const Var *reference_at(const EmuModule *em, uint64_t address)
{
    for (size_t i = 0; i < em->ptx->nvars; i++) {
        Type t = em->ptx->vars[i]->type;
        if (em->var_address[i] == address && (t == TY_TEXREF || t == TY_SURFREF || t == TY_SAMPLERREF))
            return em->ptx->vars[i];
    }
    return NULL;
}

static bool memory_alive(Warp *w, const Uop *u, const TexObject *o)
{
    Lookup *k = &w->worker->lookup[u->instr];
    Alloc   tmp;
    if (k->base == o->base && k->limit == o->bytes)
        return true;
    const Alloc *a = memory_find(&w->block->launch->dev->mem, o->base, &tmp);
    if (!a || o->bytes > a->base + a->bytes - o->base)
        return false;
    *k = (Lookup){.base = o->base, .limit = o->bytes};
    return true;
}

/* What is wrong with a handle; o: what it names, or NULL. */
static void bad_handle(Warp *w, const Uop *u, uint64_t handle, const Var *ref, const TexObject *o, TexKind kind,
                       unsigned lane)
{
    char name[200];
    if (ref)
        snprintf(name, sizeof name, "%s reference '%s'", kind_names[kind], ref->name);
    else
        snprintf(name, sizeof name, "%s object %" PRIu64, kind_names[kind], handle);
    if (!o || o->kind != kind)
        fault_raise(w, u, FAULT_BAD_TEXTURE, lane, w->mask, "%s, which %s", name,
                    o     ? (kind == TEX_TEXTURE ? "is a surface object" : "is a texture object")
                    : ref ? "is bound to nothing"
                          : "does not exist on this device");
    else
        fault_raise(w, u, FAULT_USE_AFTER_FREE, lane, w->mask, "%s, which was %s", name,
                    o->destroyed ? "destroyed" : "made over memory that is freed now");
}

const TexObject *tex_object(Warp *w, const Uop *u, uint64_t handle, TexKind kind, unsigned lane)
{
    Launch    *l     = w->block->launch;
    const Var *ref   = handle >= l->dev->ntextures ? reference_at(l->em, handle) : NULL;
    uint64_t   bound = handle;
    if (ref)
        memcpy(&bound, (const void *)(uintptr_t)handle, sizeof bound);
    const TexObject *o = emu_texture(l->dev, bound);
    if (o && o->kind == kind && !o->destroyed && memory_alive(w, u, o))
        return o;
    bad_handle(w, u, handle, ref, o, kind, lane);
    return NULL;
}

/* ---- fetches ---- */

static uint32_t word(const Warp *w, Slot s, unsigned lane)
{
    return s == NO_SLOT ? 0 : SLOT(w, uint32_t, s)[lane];
}

static float number(const Warp *w, Slot s, unsigned lane)
{
    return f32_of(word(w, s, lane));
}

/* What differs from lane to lane.  Operands that the instruction does not have stay 0. */
static void fetch_lane(const Warp *w, const TexInfo *t, unsigned lane, TexFetch *q)
{
    q->layer     = (int32_t)word(w, t->layer, lane);
    q->lod       = number(w, t->lod, lane);
    q->whole_lod = (int32_t)word(w, t->lod, lane);
    for (unsigned k = 0; k < 3; k++) {
        if (t->coord[k] != NO_SLOT) {
            q->f[k] = number(w, t->coord[k], lane);
            q->i[k] = (int32_t)word(w, t->coord[k], lane);
        }
        if (t->dx[k] != NO_SLOT) {
            q->dx[k] = number(w, t->dx[k], lane);
            q->dy[k] = number(w, t->dy[k], lane);
        }
        if (t->offset[k] != NO_SLOT)
            q->offset[k] = (int32_t)word(w, t->offset[k], lane);
    }
}

/* .f16 and .f16x2: floats become halves; whole numbers are cut. */
static void narrow(const TexInfo *t, const TexObject *o, const TexSampler *s, uint32_t v[4])
{
    bool is_float = o->format.kind == 'f' || o->format.norm || s->to_float;
    for (unsigned c = 0; c < 4; c++) {
        float f;
        memcpy(&f, &v[c], 4);
        v[c] = is_float ? half_from_double((double)f) : v[c] & 0xffff;
    }
    if (t->packed) {
        v[0] |= v[1] << 16;
        v[1] = v[2] | v[3] << 16;
    }
}

static void write_lane(Warp *w, const TexInfo *t, unsigned lane, const uint32_t v[4])
{
    for (unsigned k = 0; k < t->nd; k++) {
        if (t->d[k] == NO_SLOT)
            continue;
        if (t->to_half && !t->packed)
            SLOT(w, uint16_t, t->d[k])[lane] = (uint16_t)v[k];
        else
            SLOT(w, uint32_t, t->d[k])[lane] = v[k];
    }
}

/* The k-th texel that each of the lanes reads: its address; lanes that read so many. */
static uint32_t texels(uint32_t mask, const TexReads *reads, unsigned k, uint64_t addr[LANES])
{
    uint32_t lanes = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        lanes |= k < reads[i].n ? m & -m : 0;
        addr[i] = k < reads[i].n ? reads[i].at[k] : 0;
    }
    return lanes;
}

static Access texel_access(const Warp *w, const Uop *u, const TexObject *o, uint32_t lanes, const uint64_t *addr)
{
    return (Access){.instr = u->instr,
                    .op    = ACCESS_LD,
                    .bytes = (uint8_t)(o->format.bits / 8u * o->format.channels),
                    .nc    = true,
                    .mask  = lanes,
                    .warp  = w->index,
                    .block = w->block->index,
                    .addr  = addr};
}

/* The object itself is read, too. */
static void tell_object(Warp *w, const Uop *u, const TexObject *o, uint32_t mask)
{
    uint64_t addr[LANES];
    for (unsigned i = 0; i < LANES; i++)
        addr[i] = texture_place(o->handle);
    Access a = texel_access(w, u, o, mask, addr);
    a.space  = ACCESS_TEXTURE;
    a.bytes  = 4;
    access_notify_all(w, &a);
}

static void tell(Warp *w, const Uop *u, const TexObject *o, uint32_t mask, const TexReads *reads)
{
    uint64_t addr[LANES];
    tell_object(w, u, o, mask);
    for (unsigned k = 0; k < TEX_READS; k++) {
        uint32_t lanes = texels(mask, reads, k, addr);
        if (!lanes)
            return;
        Access a = texel_access(w, u, o, lanes, addr);
        a.space  = ACCESS_TEXTURE;
        a.texel  = (uint8_t)k;
        access_notify_all(w, &a);
    }
}

/* Lanes all of whose texels nobody wrote, of fetches of o by the lanes in mask: their results are what nobody wrote either.  One texel that
 * somebody wrote makes a result good: how much of it the others are is not asked. */
static void spoil(Warp *w, const Uop *u, const TexInfo *t, const TexObject *o, uint32_t mask, const TexReads *reads)
{
    uint64_t     addr[LANES] = {0};
    uint32_t     bytes = o->format.bits / 8u * o->format.channels, bad = 0, origin[LANES] = {0};
    PoisonLanes *p = w->worker->poison;
    for (uint32_t m = mask; m; m &= m - 1)
        bad |= reads[__builtin_ctz(m)].n ? m & -m : 0;
    for (unsigned k = 0; k < TEX_READS && bad; k++) {
        uint32_t lanes = texels(bad, reads, k, addr);
        Access   a     = texel_access(w, u, o, lanes, addr);
        memset(p->bytes, 0, sizeof p->bytes);
        a.poison = p;
        p->any   = 0;
        if (lanes)
            use_notify(w, &a);
        for (uint32_t m = lanes; m; m &= m - 1) {
            unsigned i  = (unsigned)__builtin_ctz(m);
            bool     is = (p->any & m & -m) && p->bytes[i] == (bytes == 32 ? UINT32_MAX : (UINT32_C(1) << bytes) - 1);
            origin[i]   = p->origin[i];
            bad &= is ? UINT32_MAX : ~(m & -m);
        }
    }
    for (unsigned k = 0; k < t->nd && bad; k++)
        if (t->d[k] != NO_SLOT)
            poison_result(w, t->d[k], t->to_half && !t->packed ? 2 : 4, bad, origin);
}

/* Has the instruction nothing that makes its lanes' fetches more than TexOps do? */
static bool is_plain(const Warp *w, const TexInfo *t)
{
    bool more = t->gather >= 0 || t->to_half || t->layer != NO_SLOT || t->resident != NO_SLOT ||
                t->lod_mode != TEX_LOD_BASE || t->lod != NO_SLOT || t->shape > TEX_2D || w->worker->poison ||
                w->block->launch->watches_texels;
    for (unsigned k = 0; k < 3; k++)
        more |= t->offset[k] != NO_SLOT;
    return !more;
}

/* Do these lanes have the same number? */
static bool is_one(const uint64_t *x, uint32_t mask)
{
    uint64_t first = x[__builtin_ctz(mask)], other = 0;
    if (mask != UINT32_MAX) {
        for (uint32_t m = mask; m; m &= m - 1)
            other |= x[__builtin_ctz(m)] ^ first;
        return !other;
    }
    for (unsigned i = 0; i < LANES; i++)
        other |= x[i] ^ first;
    return !other;
}

/* Of lanes that fetch from one texture by one sampler, those that are done; *stop: a handle is bad. */
static uint32_t fetch_together(Warp *w, const Uop *u, const TexInfo *t, bool *stop)
{
    unsigned        first   = (unsigned)__builtin_ctz(w->mask);
    const uint64_t *handle  = SLOT(w, uint64_t, t->handle);
    const uint64_t *sampler = t->sampler != NO_SLOT ? SLOT(w, uint64_t, t->sampler) : handle;
    const TexOps   *ops     = w->block->launch->dev->exec->texture;
    uint32_t        out[4][LANES], done;
    TexWarp         all;
    if (!is_one(handle, w->mask) || !is_one(sampler, w->mask))
        return 0;
    const TexObject *o = tex_object(w, u, handle[first], TEX_TEXTURE, first), *s = o;
    if (o && t->sampler != NO_SLOT)
        s = tex_object(w, u, sampler[first], TEX_TEXTURE, first);
    *stop = !o || !s;
    if (*stop || o->shape != t->shape || !texture_plain(o, &s->sampler, t->whole, &all))
        return 0;
    if (t->whole) {
        ops->fetch_whole(&all, SLOT(w, int32_t, t->coord[0]), out);
        done = w->mask;
    } else {
        done = ops->fetch(&all, SLOT(w, float, t->coord[0]), t->shape == TEX_2D ? SLOT(w, float, t->coord[1]) : NULL,
                          w->mask, out);
    }
    for (unsigned k = 0; k < t->nd; k++) {
        uint32_t *d = t->d[k] != NO_SLOT ? SLOT(w, uint32_t, t->d[k]) : NULL;
        if (d && done == UINT32_MAX)
            memcpy(d, out[k], sizeof out[k]);
        for (uint32_t m = d && done != UINT32_MAX ? done : 0; m; m &= m - 1)
            d[__builtin_ctz(m)] = out[k][__builtin_ctz(m)];
    }
    return done;
}

const Uop *ctl_tex(Warp *w, const Uop *u)
{
    const TexInfo   *t = u->ptr;
    const TexObject *o = NULL, *sampler = NULL;
    uint32_t         out[LANES][4];
    uint64_t         last = 0;
    uint32_t         same = 0; /* lanes of the object o */
    TexReads         reads[LANES];
    TexFetch         q    = {.whole = t->whole, .lod_mode = t->lod_mode, .gather = t->gather};
    bool             stop = false;
    uint32_t         done = is_plain(w, t) ? fetch_together(w, u, t, &stop) : 0, left = w->mask & ~done;
    if (stop)
        return STOP;
    for (uint32_t m = left; m; m &= m - 1) {
        unsigned i      = (unsigned)__builtin_ctz(m);
        uint64_t handle = SLOT(w, uint64_t, t->handle)[i];
        if (!o || handle != last) { /* mostly the same in all lanes */
            o    = tex_object(w, u, handle, TEX_TEXTURE, i);
            same = 0;
        }
        same |= m & -m;
        last    = handle;
        sampler = o && t->sampler != NO_SLOT ? tex_object(w, u, SLOT(w, uint64_t, t->sampler)[i], TEX_TEXTURE, i) : o;
        if (!sampler)
            return STOP;
        fetch_lane(w, t, i, &q);
        q.reads    = w->worker->poison || w->block->launch->watches_texels ? &reads[i] : NULL;
        reads[i].n = 0;
        texture_fetch(o, &sampler->sampler, &q, out[i]);
        if (t->to_half)
            narrow(t, o, &sampler->sampler, out[i]);
    }
    for (uint32_t m = left; m; m &= m - 1)
        write_lane(w, t, (unsigned)__builtin_ctz(m), out[__builtin_ctz(m)]);
    if (w->block->launch->watches_texels)
        tell(w, u, o, same, reads);
    if (w->worker->poison)
        spoil(w, u, t, o, same, reads);
    if (t->resident != NO_SLOT) { /* no memory is sparse here: always resident */
        uint32_t p = pred_get(w, t->resident) | w->mask;
        memcpy(w->r + t->resident, &p, 4);
    }
    return u + 1;
}

/* ---- queries ---- */

/* Layers are the last dimension, as on the card: of a1d the height, else the depth (of cubemaps: whole cubes to a texture, faces to a
 * surface).  Dimensions that there are not are 0, but for a texture's height. */
static uint32_t answer(const TexObject *o, TexQuery q, uint32_t lod)
{
    const TexLevel *l     = &o->level[lod < o->nlevels ? lod : o->nlevels - 1];
    bool            cubes = o->shape == TEX_CUBE || o->shape == TEX_CUBE_LAYERED, texture = o->kind == TEX_TEXTURE;
    bool            layered = o->shape == TEX_1D_LAYERED || o->shape == TEX_2D_LAYERED || o->shape == TEX_CUBE_LAYERED;
    uint32_t        layers  = cubes && texture ? l->depth / 6 : l->depth;
    switch (q) {
    case QUERY_WIDTH: return l->width;
    case QUERY_HEIGHT: return o->shape == TEX_1D_LAYERED ? layers : o->shape == TEX_1D ? texture : l->height;
    case QUERY_DEPTH:
        if (o->shape == TEX_CUBE)
            return texture ? 0 : layers;
        return o->shape == TEX_3D || o->shape == TEX_2D_LAYERED || o->shape == TEX_CUBE_LAYERED ? layers : 0;
    case QUERY_ARRAY_SIZE: return layered ? layers : 1;
    case QUERY_LEVELS: return o->nlevels;
    case QUERY_SAMPLES: return 1;
    default: return o->sampler.normalised;
    }
}

const Uop *ctl_txq(Warp *w, const Uop *u)
{
    TexKind  kind = (TexKind)u->y;
    uint32_t out[LANES];
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned         i = (unsigned)__builtin_ctz(m);
        const TexObject *o = tex_object(w, u, SLOT(w, uint64_t, u->a)[i], kind, i);
        if (!o)
            return STOP;
        out[i] = answer(o, (TexQuery)u->x, word(w, u->b, i));
    }
    for (uint32_t m = w->mask; m; m &= m - 1)
        SLOT(w, uint32_t, u->d)[__builtin_ctz(m)] = out[__builtin_ctz(m)];
    return u + 1;
}

/* Only a .texref, .samplerref or .surfref is of a type; a handle is a number. */
const Uop *ctl_istypep(Warp *w, const Uop *u)
{
    uint32_t is = 0;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned   i   = (unsigned)__builtin_ctz(m);
        const Var *ref = reference_at(w->block->launch->em, SLOT(w, uint64_t, u->a)[i]);
        is |= (uint32_t)(ref && ref->type == (Type)u->x) << i;
    }
    uint32_t p = (pred_get(w, u->d) & ~w->mask) | is;
    memcpy(w->r + u->d, &p, 4);
    return u + 1;
}
