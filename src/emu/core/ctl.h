/* SPDX-License-Identifier: Apache-2.0
 *
 * The handlers of ctl.def, whichever file they are in, and what they share. */
#ifndef WW_EMU_CTL_H
#define WW_EMU_CTL_H

#include <string.h>

#include "emu/core/run.h"

#define CTL(name, native) const Uop *ctl_##name(Warp *w, const Uop *u);
#include "emu/core/ctl.def"
#undef CTL

/* Native code from u on, when there is any and it takes w as it is; NULL: the interpreter goes on.  Worker.running may be
 * another warp then, if Worker.follow lets it. */
static inline const Uop *native_run(Warp *w, const Uop *u)
{
    Worker *k  = w->worker;
    UopFn   fn = k->native[w->frame->code->index];
    if (!fn)
        return NULL;
    k->entered      = w->quantum;
    const Uop *next = fn(w, u);
    k->compiled += (uint64_t)(k->entered - k->running->quantum);
    return next;
}

/* A basic block's head: counts it and pays for its n instructions.  false: the quantum is spent. */
static inline bool block_enter_lanes(Warp *w, uint32_t instr, uint32_t n, unsigned lanes)
{
    Worker *k = w->worker;
    if (__builtin_expect(w->quantum < w->floor, 0))
        return false;
    k->executed[instr]++;
    k->lanes[instr] += lanes;
    w->quantum -= n;
    return true;
}

static inline bool block_enter(Warp *w, uint32_t instr, uint32_t n)
{
    return block_enter_lanes(w, instr, n,
                             w->mask == UINT32_MAX ? (unsigned)LANES : (unsigned)__builtin_popcount(w->mask));
}

/* The next look whether the warp polls is after twice as many instructions as the last one, but the first ones of a warp that often does
 * (poll.c). */
static inline void look_later(Warp *w)
{
    Look *x  = &w->worker->look;
    x->on    = false;
    x->noting = false;
    w->floor = w->quantum > x->step ? w->quantum - x->step : 0;
    if (x->again)
        x->again--;
    else
        x->step *= 2;
}

/* What the head returns then. */
static inline const Uop *block_spent(Warp *w, const Uop *u)
{
    w->pc            = u;
    w->worker->event = EVENT_QUANTUM;
    return STOP;
}

static inline uint32_t pred_get(const Warp *w, Slot s)
{
    uint32_t m;
    memcpy(&m, w->r + s, 4);
    return m;
}

/* Writes the active lanes' bits. */
static inline void pred_set(Warp *w, Slot s, uint32_t bits)
{
    uint32_t m = (pred_get(w, s) & ~w->mask) | (bits & w->mask);
    memcpy(w->r + s, &m, 4);
}

/* The active lanes of a slot become v (sreg.c). */
void slot_broadcast32(Warp *w, Slot d, uint32_t v);
void slot_broadcast64(Warp *w, Slot d, uint64_t v);

#endif
