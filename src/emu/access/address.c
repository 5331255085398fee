/* SPDX-License-Identifier: Apache-2.0
 *
 * Addresses as values: of parameters and local variables, between state spaces, of other widths; the stack of alloca. */
#include <string.h>

#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/frame.h"

const Uop *ctl_param_addr(Warp *w, const Uop *u)
{
    slot_broadcast64(w, u->d, w->block->launch->dev->param_base + (uint64_t)u->imm);
    return u + 1;
}

const Uop *ctl_local_addr(Warp *w, const Uop *u)
{
    uint64_t v = w->frame->local_base + (uint64_t)u->imm;
    if (u->x == 8)
        slot_broadcast64(w, u->d, v);
    else
        slot_broadcast32(w, u->d, (uint32_t)v);
    return u + 1;
}

const Uop *ctl_shared_addr(Warp *w, const Uop *u)
{
    uint64_t v = w->shared_base + (uint64_t)u->imm;
    if (u->x == 8)
        slot_broadcast64(w, u->d, v);
    else
        slot_broadcast32(w, u->d, (uint32_t)v);
    return u + 1;
}

/* Constants and parameters lie among the global allocations; only their kind tells them. */
static bool in_space(Memory *m, Space space, uint64_t address)
{
    Alloc tmp;
    if (space == SPACE_LOCAL)
        return address - LOCAL_WINDOW < WINDOW_BYTES;
    const Alloc *a        = memory_find(m, address, &tmp);
    bool         constant = a && a->kind == ALLOC_CONST_VAR, param = a && a->kind == ALLOC_PARAM;
    return space == SPACE_CONST   ? constant
           : space == SPACE_PARAM ? param
                                  : address - m->base < m->size && !constant && !param;
}

/* The block's own window, or those of the whole cluster. */
static bool in_shared(const Warp *w, uint64_t address, bool cluster)
{
    uint64_t t = address - SHARED_WINDOW;
    return t < WINDOW_BYTES &&
           (t >> CLUSTER_SHIFT == w->block->rank || (cluster && t >> CLUSTER_SHIFT < w->block->cluster->n));
}

const Uop *ctl_isspacep(Warp *w, const Uop *u)
{
    const uint64_t *a  = (const uint64_t *)(const void *)(w->r + u->a);
    Memory         *m  = &w->block->launch->dev->mem;
    uint32_t        is = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i   = (unsigned)__builtin_ctz(left);
        bool     yes = u->x == SPACE_SHARED ? in_shared(w, a[i], u->y) : in_space(m, (Space)u->x, a[i]);
        is |= (uint32_t)yes << i;
    }
    pred_set(w, u->d, is);
    return u + 1;
}

const Uop *ctl_addr_add(Warp *w, const Uop *u)
{
    if (u->x == 8) {
        uint64_t *d = SLOT(w, uint64_t, u->d), *a = SLOT(w, uint64_t, u->a);
        for (int i = 0; i < LANES; i++)
            d[i] = w->mask >> i & 1 ? a[i] + (uint64_t)u->imm : d[i];
    } else {
        uint32_t *d = SLOT(w, uint32_t, u->d), *a = SLOT(w, uint32_t, u->a);
        for (int i = 0; i < LANES; i++)
            d[i] = w->mask >> i & 1 ? a[i] + (uint32_t)u->imm : d[i];
    }
    return u + 1;
}

/* Reads lane i of a slot whose lanes have `bytes` bytes. */
static inline uint64_t lane_read(const uint8_t *slot, unsigned bytes, unsigned i, bool is_signed)
{
    uint64_t v = 0;
    memcpy(&v, slot + (size_t)i * bytes, bytes);
    unsigned shift = 64 - 8 * bytes;
    return is_signed && shift ? (uint64_t)((int64_t)(v << shift) >> shift) : v;
}

const Uop *ctl_resize(Warp *w, const Uop *u)
{
    uint64_t v[LANES];
    if (u->x == 8 && u->y == 4) { /* 64-bit address registers into 32-bit spaces: common */
        const uint64_t *a = SLOT(w, uint64_t, u->a);
        uint32_t       *d = SLOT(w, uint32_t, u->d);
        for (int i = 0; i < LANES; i++)
            d[i] = w->mask >> i & 1 ? (uint32_t)a[i] : d[i];
        return u + 1;
    }
    for (unsigned i = 0; i < LANES; i++)
        v[i] = lane_read(w->r + u->a, u->x, i, u->e != 0);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        memcpy(w->r + u->d + (size_t)i * u->y, &v[i], u->y);
    }
    return u + 1;
}

const Uop *ctl_pred_not(Warp *w, const Uop *u)
{
    uint32_t m = ~pred_get(w, u->a);
    memcpy(w->r + u->d, &m, 4);
    return u + 1;
}

enum { STACK_GAP = 64 };

static uint64_t stack_bytes(const Warp *w, const Uop *u, unsigned lane)
{
    return u->x == 8 ? SLOT(w, uint64_t, u->a)[lane] : SLOT(w, uint32_t, u->a)[lane];
}

/* Bytes that nobody may use, behind [at, top) of the lanes that allocated just now, if somebody asked and there is room.  Where they end. */
static uint32_t leave_gap(Warp *w, const Uop *u, const uint64_t *bytes, uint64_t at, uint64_t top)
{
    const EmuLaunch *ask  = w->block->launch->ask;
    Frame           *f    = w->frame;
    bool             want = false;
    for (size_t o = 0; o < ask->nobservers; o++)
        want |= ask->observers[o]->gaps;
    if (!want || f->ngaps == MAX_STACK_GAPS || top + STACK_GAP > w->local_bytes)
        return (uint32_t)top;
    __atomic_store_n(&w->block->launch->gaps, true, __ATOMIC_RELAXED);
    if (!f->gap)
        f->gap = xcalloc(MAX_STACK_GAPS, sizeof *f->gap);
    StackGap *g = &f->gap[f->ngaps++];
    g->instr    = u->instr;
    g->at       = (uint32_t)at;
    g->to       = (uint32_t)top + STACK_GAP;
    for (unsigned i = 0; i < LANES; i++)
        g->from[i] = w->mask >> i & 1 ? (uint32_t)(at + bytes[i]) : g->to;
    return g->to;
}

/* No lane has it any more. */
static bool is_closed(const StackGap *g)
{
    bool closed = true;
    for (unsigned i = 0; i < LANES; i++)
        closed &= g->from[i] == g->to;
    return closed;
}

static void set_tops(Warp *w, uint32_t top)
{
    Frame    *f    = w->frame;
    uint32_t *tops = frame_tops(f);
    for (uint32_t m = w->mask; m; m &= m - 1)
        tops[__builtin_ctz(m)] = top;
    f->local_top = frame_top(f, f->alive | f->guests);
}

/* Each lane has a top of its own, and gets its memory where that of all that ask together is free. */
const Uop *ctl_alloca(Warp *w, const Uop *u)
{
    uint64_t most = 0, align = u->imm > 16 ? (uint64_t)u->imm : 16, bytes[LANES];
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        bytes[i]   = stack_bytes(w, u, i);
        most       = bytes[i] > most ? bytes[i] : most;
    }
    uint32_t used = frame_top(w->frame, w->mask);
    uint64_t at   = (used + align - 1) & -align;
    if (at > w->local_bytes || most > w->local_bytes - at)
        return fault_raise(w, u, FAULT_STACK_OVERFLOW, (unsigned)__builtin_ctz(w->mask), w->mask,
                           "alloca of %llu bytes; %u of the thread's %u bytes of local memory are in use",
                           (unsigned long long)most, used, w->local_bytes);
    set_tops(w, leave_gap(w, u, bytes, at, at + most));
    if (u->x == 8)
        slot_broadcast64(w, u->d, at);
    else
        slot_broadcast32(w, u->d, (uint32_t)at);
    return u + 1;
}

const Uop *ctl_stacksave(Warp *w, const Uop *u)
{
    const Frame *f = w->frame;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i   = (unsigned)__builtin_ctz(m);
        uint32_t top = f->parted ? f->tops[i] : f->local_top;
        if (u->x == 8)
            SLOT(w, uint64_t, u->d)[i] = top;
        else
            SLOT(w, uint32_t, u->d)[i] = top;
    }
    return u + 1;
}

const Uop *ctl_stackrestore(Warp *w, const Uop *u)
{
    Frame    *f    = w->frame;
    uint32_t *tops = frame_tops(f);
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctz(m);
        tops[i]    = (uint32_t)stack_bytes(w, u, i);
        for (uint32_t k = f->ngaps; k--;) /* gaps above are nobody's memory again */
            if (f->gap[k].to > tops[i])
                f->gap[k].from[i] = f->gap[k].to;
    }
    f->local_top = frame_top(f, f->alive | f->guests);
    while (f->ngaps && is_closed(&f->gap[f->ngaps - 1]))
        f->ngaps--;
    return u + 1;
}
