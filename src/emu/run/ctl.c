/* SPDX-License-Identifier: Apache-2.0
 *
 * Control flow: basic block heads, prefixes, branches, traps, and the table of all handlers that need no SIMD level.
 *
 * A handler that cannot go on with w's lanes as they are puts them into w->group (or drops them), sets the event and returns STOP;
 * warp_run chooses what runs next.  Handlers that may do so are never placed under a GUARD prefix: lower.c branches around them. */
#include "emu/core/ctl.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emu/core/apart.h"
#include "emu/core/fault.h"
#include "emu/core/group.h"
#include "emu/core/notify.h"
#include "emu/sync/sync.h"

const Uop *ctl_block(Warp *w, const Uop *u)
{
    Worker *k = w->worker;
    if (k->native && w->mask == UINT32_MAX && !w->frame->shadow) {
        uint32_t follow = k->follow;
        k->follow       = 0; /* who runs w's handlers knows of no other warp */
        const Uop *next = native_run(w, u);
        k->follow       = follow;
        if (next)
            return next;
    }
    return block_enter(w, u->instr, u->n) ? u + 1 : block_spent(w, u);
}

/* Runs the n uops behind u; the last one's successor is returned (always u + 1 + n, or STOP). */
static inline const Uop *run_prefixed(Warp *w, const Uop *u)
{
    const Uop *p = u + 1, *end = p + u->n;
    while (p < end)
        p = p->fn(w, p);
    return p;
}

const Uop *ctl_guard(Warp *w, const Uop *u)
{
    uint32_t mask = w->mask, m = pred_get(w, u->a);
    m = mask & (u->x ? ~m : m);
    if (m == 0)
        return u + 1 + u->n;
    w->mask      = m;
    const Uop *p = run_prefixed(w, u);
    w->mask      = mask;
    return p;
}

const Uop *ctl_fpmode(Warp *w, const Uop *u)
{
#if defined(__x86_64__)
    _mm_setcsr(PLAIN_MXCSR | u->x);
    const Uop *p = run_prefixed(w, u);
    _mm_setcsr(PLAIN_MXCSR);
    return p;
#else
    return run_prefixed(w, u);
#endif
}

const Uop *ctl_jump(Warp *w, const Uop *u)
{
    (void)w;
    return u->target;
}

const Uop *ctl_bra(Warp *w, const Uop *u)
{
    uint32_t p     = pred_get(w, u->a);
    uint32_t taken = w->mask & (u->x ? ~p : p);
    if (taken == 0)
        return u + 1;
    if (taken == w->mask)
        return u->target;
    w->worker->parted[u->instr]++;
    /* the lower pc goes on, the other waits; with a seed, either */
    const Uop *next = u + 1;
    uint32_t   stay = w->mask & ~taken;
    w->last         = 0;
    if (__builtin_expect(w->block->launch->random != 0, 0)) {
        warp_put(w, next, w->frame, stay);
        warp_put(w, u->target, w->frame, taken);
        w->worker->event = EVENT_RESCHEDULE;
        return STOP;
    }
    if (u->target < next) {
        warp_put(w, next, w->frame, stay);
        w->mask = taken;
        if (next < w->merge)
            w->merge = next;
        return u->target;
    }
    warp_put(w, u->target, w->frame, taken);
    w->mask = stay;
    if (u->target < w->merge)
        w->merge = u->target;
    return next;
}

const Uop *ctl_bra_early(Warp *w, const Uop *u)
{
    uint32_t p     = pred_get(w, u->a);
    uint32_t taken = w->mask & (u->x ? ~p : p), stay = w->mask & ~taken;
    if (taken == 0)
        return u + 1;
    if (stay == 0)
        return u->target;
    w->worker->parted[u->instr]++;
    const Uop *meets = u->n == UINT32_MAX ? NULL : w->frame->code->uops + u->n;
    if (__builtin_popcount(taken) < __builtin_popcount(stay))
        apart_part(w, u->target, taken, u + 1, meets);
    else
        apart_part(w, u + 1, stay, u->target, meets);
    if (w->pc != meets && !w->block->launch->random)
        return w->pc;
    warp_put(w, w->pc, w->frame, w->mask);
    w->worker->event = EVENT_RESCHEDULE;
    return STOP;
}

const Uop *ctl_brx(Warp *w, const Uop *u)
{
    const BranchTable *t    = u->ptr;
    const uint32_t    *idx  = (const uint32_t *)(const void *)(w->r + u->a);
    uint32_t           left = w->mask;
    while (left) {
        uint32_t i = idx[__builtin_ctz(left)], same = 0;
        for (uint32_t m = left; m; m &= m - 1)
            if (idx[__builtin_ctz(m)] == i)
                same |= m & -m;
        if (i >= t->count)
            return fault_raise(w, u, FAULT_BAD_CALL, (unsigned)__builtin_ctz(left), same,
                               "brx.idx index %u, but the branch target list has %u labels", i, t->count);
        if (same == w->mask)
            return t->target[i];
        warp_put(w, t->target[i], w->frame, same);
        left &= ~same;
        w->worker->parted[u->instr] += left != 0;
    }
    w->worker->event = EVENT_RESCHEDULE;
    return STOP;
}

const Uop *ctl_trap(Warp *w, const Uop *u)
{
    return fault_raise(w, u, FAULT_TRAP, (unsigned)__builtin_ctz(w->mask), w->mask, "the kernel executed trap");
}

const Uop *ctl_unsupported(Warp *w, const Uop *u)
{
    const Instr *in     = w->block->launch->prog->instr[u->instr].in;
    const Form  *form   = op_form(in->op->op);
    const char  *family = form->exactness == UNSUPPORTED ? form->note : ""; /* notes of other rows say other things */
    return fault_raise(w, u, FAULT_UNSUPPORTED, (unsigned)__builtin_ctz(w->mask), w->mask, "%s is not implemented%s%s",
                       in->op->text, family[0] ? ": " : "", family);
}

/* x: Sem, y: Scope */
const Uop *ctl_fence(Warp *w, const Uop *u)
{
    NOTIFY_SYNC(w, u, .kind = SYNC_FENCE, .mask = w->mask, .sem = (uint8_t)u->x, .scope = (uint8_t)u->y);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return u + 1;
}

const Uop *ctl_nanosleep(Warp *w, const Uop *u)
{
    w->worker->sync_ops = true;
    w->quantum -= 64; /* a sleeper lets the others go first */
    return u + 1;
}

const Uop *ctl_nop(Warp *w, const Uop *u)
{
    (void)w;
    return u + 1;
}

const Uop *ctl_may_wait(Warp *w, const Uop *u)
{
    w->worker->sync_ops = true;
    return u + 1;
}

const UopFn ctl_handlers[CTL_COUNT] = {
#define CTL(name, native) [CTL_##name] = ctl_##name,
#include "emu/core/ctl.def"
#undef CTL
};
