/* SPDX-License-Identifier: Apache-2.0
 *
 * suld, sust, sured: reads, writes and reductions of surfaces.
 *
 * x counts bytes (.b) or texels (.p).  Outside the surface: .trap is a fault, .zero reads zero and writes nothing, .clamp moves to the
 * nearest texel.  A formatted write (sust.p) converts each 32-bit value to the channel's format: whole numbers saturate, floats are
 * rounded to nearest even.  Reductions are atomic between threads of the launch. */
#include <string.h>

#include "base/bits.h"
#include "base/half.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/notify.h"
#include "emu/texture/tex_op.h"
#include "emu/texture/texfilter.h"

typedef struct Spot { /* where one lane's access goes */
    uint8_t *p;       /* NULL: nowhere */
} Spot;

static int64_t clamped(int64_t v, int64_t n)
{
    return v < 0 ? 0 : v >= n ? n - 1 : v;
}

static int32_t coordinate(const Warp *w, Slot s, unsigned lane)
{
    return s == NO_SLOT ? 0 : SLOT(w, int32_t, s)[lane];
}

/* false: a fault was raised. */
static bool locate(Warp *w, const Uop *u, const TexObject *o, unsigned lane, Spot *out)
{
    const SurfInfo *s     = u->ptr;
    const TexLevel *l     = &o->level[0];
    unsigned        texel = texel_bytes(&o->format), bytes = s->samples ? texel : s->bytes * s->nv;
    int64_t         x = (int64_t)coordinate(w, s->coord[0], lane) * (s->samples ? (int64_t)texel : 1);
    int64_t         y = coordinate(w, s->coord[1], lane), z = coordinate(w, s->coord[2], lane);
    if (s->layer != NO_SLOT)
        z = coordinate(w, s->layer, lane);
    if (x % bytes) {
        fault_raise(w, u, FAULT_MISALIGNED, lane, w->mask,
                    "surface access of %u bytes at x = %lld bytes, which is not a multiple of %u", bytes, (long long)x,
                    bytes);
        return false;
    }
    int64_t row    = (int64_t)l->width * texel;
    bool    inside = x >= 0 && x + bytes <= row && y >= 0 && y < l->height && z >= 0 && z < l->depth;
    out->p         = NULL;
    if (!inside && s->clamp == SURF_TRAP) {
        fault_raise(w, u, FAULT_OUT_OF_BOUNDS, lane, w->mask,
                    "surface %s of %u bytes at (x %lld bytes, y %lld, z or layer %lld), outside its %u x %u x %u "
                    "texels of %u bytes",
                    s->op == SURF_LOAD     ? "read"
                    : s->op == SURF_REDUCE ? "reduction"
                                           : "write",
                    bytes, (long long)x, (long long)y, (long long)z, l->width, l->height, l->depth, texel);
        return false;
    }
    if (!inside && s->clamp == SURF_ZERO)
        return true;
    if (x + bytes > row)
        x = row - bytes;
    x      = x < 0 ? 0 : x;
    out->p = (uint8_t *)(uintptr_t)l->base +
             (uint64_t)clamped(s->layer != NO_SLOT && z < 0 ? l->depth : z, l->depth) * l->slice +
             (uint64_t)clamped(y, l->height) * l->pitch + x;
    return true;
}

static bool locate_all(Warp *w, const Uop *u, Spot spot[LANES], const TexObject *object[LANES])
{
    const SurfInfo *s = u->ptr;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        object[i]  = tex_object(w, u, SLOT(w, uint64_t, s->handle)[i], TEX_SURFACE, i);
        if (!object[i] || !locate(w, u, object[i], i, &spot[i]))
            return false;
    }
    return true;
}

/* ---- reads and writes ---- */

static void load(Warp *w, const SurfInfo *s, unsigned lane, const uint8_t *p)
{
    for (unsigned k = 0; k < s->nv; k++) {
        uint64_t v = 0;
        if (p)
            memcpy(&v, p + k * s->bytes, s->bytes);
        if (s->v[k] != NO_SLOT)
            memcpy(w->r + s->v[k] + (size_t)lane * s->reg_bytes, &v, s->reg_bytes);
    }
}

static void store(const Warp *w, const SurfInfo *s, unsigned lane, uint8_t *p)
{
    for (unsigned k = 0; k < s->nv && p; k++)
        memcpy(p + k * s->bytes, w->r + s->v[k] + (size_t)lane * s->reg_bytes, s->bytes);
}

static uint32_t to_channel(const TexFormat *f, uint32_t v)
{
    int32_t s = (int32_t)v;
    if (f->kind == 'f')
        return f->bits == 16 ? half_from_double((double)f32_of(v)) : v;
    if (f->bits == 32)
        return v;
    uint32_t most = (UINT32_C(1) << (f->bits - (f->kind == 's'))) - 1;
    if (f->kind == 'u')
        return v > most ? most : v;
    return (uint32_t)(s > (int32_t)most ? (int32_t)most : s < -(int32_t)most - 1 ? -(int32_t)most - 1 : s);
}

static void store_formatted(const Warp *w, const SurfInfo *s, const TexObject *o, unsigned lane, uint8_t *p)
{
    unsigned bytes = o->format.bits / 8u;
    for (unsigned k = 0; k < o->format.channels && p; k++) {
        uint32_t v = k < s->nv ? to_channel(&o->format, SLOT(w, uint32_t, s->v[k])[lane]) : 0;
        memcpy(p + k * bytes, &v, bytes);
    }
}

/* ---- reductions ---- */

static uint64_t reduced(const SurfInfo *s, uint64_t a, uint64_t b)
{
    bool wide = s->bytes == 8, is_signed = type_kind(s->type) == 's';
    bool less = is_signed ? (wide ? (int64_t)a < (int64_t)b : (int32_t)a < (int32_t)b) : a < b;
    switch (s->reduce) {
    case SURF_ADD: return a + b;
    case SURF_MIN: return less ? a : b;
    case SURF_MAX: return less ? b : a;
    case SURF_AND: return a & b;
    default: return a | b;
    }
}

static void reduce(Warp *w, const SurfInfo *s, unsigned lane, uint8_t *p)
{
    uint64_t         a = 0, b = 0;
    pthread_mutex_t *lock = &w->block->launch->lock;
    if (!p)
        return;
    memcpy(&b, w->r + s->v[0] + (size_t)lane * s->bytes, s->bytes);
    pthread_mutex_lock(lock);
    memcpy(&a, p, s->bytes);
    a = reduced(s, a, b);
    memcpy(p, &a, s->bytes);
    pthread_mutex_unlock(lock);
}

/* Tells the observers of the lanes whose access goes somewhere. */
static void tell(Warp *w, const Uop *u, const Spot spot[LANES], const TexObject *const object[LANES])
{
    const SurfInfo *s = u->ptr;
    uint64_t        addr[LANES];
    Access          a = {.instr = u->instr,
                         .space = ACCESS_SURFACE,
                         .op    = s->op == SURF_LOAD     ? ACCESS_LD
                                  : s->op == SURF_REDUCE ? ACCESS_RED
                                                         : ACCESS_ST,
                         .sem   = s->op == SURF_REDUCE ? SEM_RELAXED : SEM_WEAK,
                         .scope = s->op == SURF_REDUCE ? SCOPE_GPU : SCOPE_NONE,
                         .warp  = w->index,
                         .block = w->block->index,
                         .addr  = addr};
    if (s->op == SURF_STORE) {
        a.regs    = w->r;
        a.slot    = s->v;
        a.element = (uint8_t)s->bytes;
        a.stride  = (uint8_t)s->reg_bytes;
    }
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        addr[i]    = (uint64_t)(uintptr_t)spot[i].p;
        a.bytes    = (uint8_t)(s->samples ? texel_bytes(&object[i]->format) : s->bytes * s->nv);
        a.mask |= spot[i].p ? m & -m : 0;
    }
    if (a.mask)
        access_notify_all(w, &a);
}

const Uop *ctl_surface(Warp *w, const Uop *u)
{
    const SurfInfo  *s = u->ptr;
    Spot             spot[LANES];
    const TexObject *object[LANES];
    if (!locate_all(w, u, spot, object))
        return STOP;
    tell(w, u, spot, object);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        switch (s->op) {
        case SURF_LOAD: load(w, s, i, spot[i].p); break;
        case SURF_STORE: store(w, s, i, spot[i].p); break;
        case SURF_STORE_FORMATTED: store_formatted(w, s, object[i], i, spot[i].p); break;
        default: reduce(w, s, i, spot[i].p);
        }
    }
    return u + 1;
}
