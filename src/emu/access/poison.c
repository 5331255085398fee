/* SPDX-License-Identifier: Apache-2.0
 *
 * Shadows of frames: making, dropping, what loads put in and stores take out. */
#include "emu/access/poison.h"

#include <stdlib.h>
#include <string.h>

#include "emu/access/access.h"
#include "emu/core/frame.h"
#include "emu/core/notify.h"
#include "ptx/traits.h"

/* Lines that were poisoned when the shadow was last in use are wiped; the rest is clean. */
static void poison_begin(Worker *k, Frame *f)
{
    size_t n = frame_size(f->code);
    (void)k;
    if (f->shadow)
        return;
    if (!f->shadow_memory)
        f->shadow_memory = xcalloc(2 * n + n / 64 + 1, 1); /* shadow, an origin for every four of its bytes, marks */
    f->shadow = f->shadow_memory;
    f->origin = (uint32_t *)(void *)(f->shadow_memory + n);
    f->marks  = f->shadow_memory + 2 * n;
    for (size_t i = 0; i < n / 64; i++)
        if (f->marks[i]) {
            memset(f->shadow + 64 * i, 0, 64);
            f->marks[i] = 0;
        }
}

bool poison_is_clean(Frame *f)
{
    static const uint8_t zeros[64];
    bool                 clean = true;
    for (size_t i = 0; i < frame_size(f->code) / 64; i++)
        if (f->marks[i]) {
            f->marks[i] = memcmp(f->shadow + 64 * i, zeros, 64) != 0;
            clean &= !f->marks[i];
        }
    return clean;
}

/* ---- memory ---- */

/* Adds what one data register of a store holds, element v of its vector; gives the lanes where some of it was computed. */
static uint32_t gather_reg(const Frame *f, const MemInfo *info, unsigned v, uint32_t mask, PoisonLanes *p)
{
    uint32_t computed = 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        Slot     at   = info->v[v] + lane * info->reg_bytes;
        for (unsigned b = 0; b < info->bytes; b++)
            if (f->shadow[at + b]) {
                bool is = f->shadow[at + b] == POISON_COMPUTED; /* no padding, then: all of the value */
                p->bytes[lane] |= (is ? (UINT32_C(1) << info->bytes) - 1 : UINT32_C(1) << b) << (v * info->bytes);
                computed |= (uint32_t)is << lane;
                p->origin[lane] = f->origin[(at + b) / 4];
            }
    }
    return computed;
}

/* The usual case of that: a word that was loaded whole, in all lanes. */
static bool gather_words(const Frame *f, const MemInfo *info, unsigned v, PoisonLanes *p)
{
    const uint8_t *s = f->shadow + info->v[v];
    if (info->bytes != 4 || info->reg_bytes != 4 || s[0] != POISON_MOVED || memcmp(s, s + 1, 4 * LANES - 1) != 0)
        return false;
    for (unsigned lane = 0; lane < LANES; lane++) {
        p->bytes[lane] |= 15u << (4 * v);
        p->origin[lane] = f->origin[info->v[v] / 4 + lane];
    }
    return true;
}

/* What the data registers of a store hold; the lanes where some of it was computed. */
static uint32_t gather(const Warp *w, const MemInfo *info, uint32_t mask, PoisonLanes *p)
{
    const Frame *f        = w->frame;
    uint32_t     computed = 0;
    memset(p->bytes, 0, sizeof p->bytes);
    for (unsigned v = 0; v < info->nvec; v++)
        if (info->v[v] != NO_SLOT && poison_marked(f, info->v[v], (size_t)info->reg_bytes * LANES) &&
            (mask != UINT32_MAX || !gather_words(f, info, v, p)))
            computed |= gather_reg(f, info, v, mask, p);
    for (uint32_t m = mask; m; m &= m - 1)
        if (p->bytes[__builtin_ctz(m)])
            p->any |= m & -m;
    return computed;
}

static void scatter_lane(Frame *f, const MemInfo *info, unsigned lane, uint32_t bits, uint32_t origin)
{
    for (unsigned v = 0; v < info->nvec; v++) {
        uint32_t of  = bits >> (v * info->bytes);
        Slot     at  = info->v[v] + lane * info->reg_bytes;
        bool     top = info->is_signed && (of >> (info->bytes - 1) & 1);
        for (unsigned b = 0; info->v[v] != NO_SLOT && b < info->reg_bytes; b++) {
            bool bad                = b < info->bytes ? of >> b & 1 : top;
            f->shadow[at + b]       = bad ? POISON_MOVED : 0;
            f->origin[(at + b) / 4] = bad ? origin : f->origin[(at + b) / 4];
        }
    }
}

/* Is every byte of every lane poisoned, by one origin? */
static bool all_alike(const MemInfo *info, const PoisonLanes *p)
{
    unsigned n     = info->nvec * info->bytes;
    uint32_t every = n >= 32 ? UINT32_MAX : (UINT32_C(1) << n) - 1, other = 0;
    for (unsigned lane = 0; lane < LANES; lane++)
        other |= (p->bytes[lane] ^ every) | (p->origin[lane] ^ p->origin[0]);
    return p->any == UINT32_MAX && !other && info->bytes == info->reg_bytes;
}

static void scatter(Frame *f, const MemInfo *info, const PoisonLanes *p)
{
    size_t bytes = (size_t)info->reg_bytes * LANES;
    bool   alike = all_alike(info, p);
    for (unsigned v = 0; v < info->nvec; v++) {
        if (info->v[v] == NO_SLOT)
            continue;
        poison_mark(f, info->v[v], bytes);
        if (alike)
            memset(f->shadow + info->v[v], POISON_MOVED, bytes);
        for (size_t i = 0; alike && i < bytes / 4; i++)
            f->origin[info->v[v] / 4 + i] = p->origin[0];
    }
    for (uint32_t m = alike ? 0 : p->any; m; m &= m - 1)
        scatter_lane(f, info, (unsigned)__builtin_ctz(m), p->bytes[__builtin_ctz(m)], p->origin[__builtin_ctz(m)]);
}

/* Lanes that store what an instruction left undefined.  That is told where others may read it; memory does not keep it. */
static void end_undefined(Warp *w, const Access *a, PoisonLanes *p)
{
    uint32_t lanes = 0;
    for (uint32_t m = p->any; m; m &= m - 1)
        if (p->origin[__builtin_ctz(m)] & ORIGIN_UNDEFINED)
            lanes |= m & -m;
    if (lanes && a->space != ACCESS_LOCAL)
        poison_report(w, a->instr, POISON_STORE, lanes, p->origin);
    p->any &= ~lanes;
}

void poison_notify(Warp *w, const MemInfo *info, Access *a)
{
    PoisonLanes *p  = w->worker->poison;
    const Instr *in = w->block->launch->prog->instr[a->instr].in;
    p->any          = 0;
    a->poison       = p;
    if (w->frame->shadow && op_plain_store(in)) {
        uint32_t computed = gather(w, info, a->mask, p);
        if (computed && a->space == ACCESS_GLOBAL) { /* a result, not a copy: told now, and written */
            poison_report(w, a->instr, POISON_OUTPUT, computed, p->origin);
            p->any &= ~computed;
        }
        end_undefined(w, a, p);
    }
    access_notify_all(w, a);
    if (a->op != ACCESS_LD || !p->any || !op_plain_load(in))
        return;
    poison_begin(w->worker, w->frame);
    scatter(w->frame, info, p);
    w->merge = NULL; /* back to the scheduler, which goes on in poison_run */
}

void poison_result(Warp *w, Slot d, unsigned bytes, uint32_t mask, const uint32_t *origin)
{
    poison_begin(w->worker, w->frame);
    poison_mark(w->frame, d, (size_t)bytes * LANES);
    for (uint32_t m = mask; m; m &= m - 1) {
        unsigned lane = (unsigned)__builtin_ctz(m);
        memset(w->frame->shadow + d + lane * bytes, POISON_MOVED, bytes);
        w->frame->origin[(d + lane * bytes) / 4] = origin[lane];
    }
    w->merge = NULL;
}

/* ---- calls ---- */

static size_t place(const Frame *f, uint32_t offset, bool reg, uint32_t bytes, unsigned lane)
{
    return reg ? offset + lane * bytes : f->code->pbuf + (size_t)lane * f->code->pbuf_stride + offset;
}

void poison_transfer(Worker *k, const Transfer *t, uint32_t n, Frame *from, Frame *to, uint32_t mask)
{
    if (!from->shadow && !to->shadow)
        return;
    poison_begin(k, from);
    poison_begin(k, to);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t left  = transfer_place(from->code, t[i].from, t[i].from_late),
                 right = transfer_place(to->code, t[i].to, t[i].to_late);
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned lane = (unsigned)__builtin_ctz(m);
            size_t   a    = place(from, left, t[i].from_reg, t[i].bytes, lane);
            size_t   b    = place(to, right, t[i].to_reg, t[i].bytes, lane);
            poison_mark(to, b, t[i].bytes);
            for (uint32_t j = 0; j < t[i].bytes; j++) {
                to->shadow[b + j] = from->shadow[a + j];
                if (from->shadow[a + j])
                    to->origin[(b + j) / 4] = from->origin[(a + j) / 4];
            }
        }
    }
}

void poison_move(Worker *k, Frame *from, Frame *to, uint32_t mask)
{
    size_t n = frame_size(from->code);
    if (!from->shadow && !to->shadow)
        return;
    poison_begin(k, from);
    poison_begin(k, to);
    frame_copy(from->code, to->shadow, from->shadow, mask);
    uint8_t *moved = xcalloc(n, 1);
    frame_copy(from->code, moved, from->shadow, mask);
    for (size_t i = 0; i < n / 4; i++) { /* narrow lanes share an origin: that of who comes */
        uint32_t bad;
        memcpy(&bad, moved + 4 * i, 4);
        to->origin[i] = bad ? from->origin[i] : to->origin[i];
    }
    for (size_t i = 0; i < n / 64; i++)
        to->marks[i] |= from->marks[i];
    free(moved);
}

/* ---- reports ---- */

void poison_report(Warp *w, uint32_t instr, PoisonUseKind kind, uint32_t mask, const uint32_t *origin)
{
    const EmuLaunch *ask = w->block->launch->ask;
    PoisonUse        u   = {
                 .instr = instr, .kind = kind, .mask = mask, .warp = w->index, .block = w->block->index, .origin = origin};
    for (size_t o = 0; o < ask->nobservers; o++)
        if (ask->observers[o]->use)
            ask->observers[o]->use(w->worker->observer[o], &u);
}
