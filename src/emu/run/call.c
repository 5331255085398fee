/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls, returns and exits: frames, and the copying of arguments and results between the parameter buffers or registers of caller and
 * callee.
 *
 * Lanes that call together share a frame; a lane that exits leaves every frame of its chain.  The lanes of an indirect call go one
 * function after the other.  A return always goes through the scheduler, where lanes that come back from different places meet. */
#include <string.h>

#include "emu/access/poison.h"
#include "emu/core/apart.h"
#include "emu/core/ctl.h"
#include "emu/core/fault.h"
#include "emu/core/frame.h"
#include "emu/core/group.h"
#include "emu/core/notify.h"
#include "emu/run/cluster.h"
#include "emu/run/devrt.h"
#include "emu/run/home.h"
#include "emu/sync/sync.h"

const Uop *ctl_exit(Warp *w, const Uop *u)
{
    Block   *b    = w->block;
    uint32_t mask = w->mask;
    NOTIFY_SYNC(w, u, .kind = SYNC_EXIT, .mask = mask);
    home_leave_all(w->worker, w->frame, mask);
    w->live &= ~mask;
    if (w->naparts)
        apart_leave(w, mask, NULL);
    for (uint32_t i = 0; i < w->ngroups; i++) /* who waited for these lanes looks again */
        if (w->group[i].state == GROUP_SYNC)
            w->group[i].state = GROUP_READY;
    b->live -= (unsigned)__builtin_popcount(mask);
    cluster_exit(w, mask);
    b->progress      = true;
    w->worker->event = EVENT_EXIT;
    return STOP;
}

static uint8_t *lane_bytes(uint8_t *regs, const Code *code, uint32_t offset, unsigned lane)
{
    return regs + code->pbuf + (size_t)lane * code->pbuf_stride + offset;
}

/* Copies arguments (or results) of the lanes between the frames of caller and callee. */
static void transfer(const Transfer *t, uint32_t n, uint8_t *from, const Code *from_code, uint8_t *to,
                     const Code *to_code, uint32_t mask)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = transfer_place(from_code, t[i].from, t[i].from_late),
                 b = transfer_place(to_code, t[i].to, t[i].to_late);
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned       lane = (unsigned)__builtin_ctz(m);
            const uint8_t *src  = t[i].from_reg ? from + a + lane * t[i].bytes : lane_bytes(from, from_code, a, lane);
            uint8_t       *dst  = t[i].to_reg ? to + b + lane * t[i].bytes : lane_bytes(to, to_code, b, lane);
            memcpy(dst, src, t[i].bytes);
        }
    }
}

static const Uop *enter(Warp *w, const Uop *u, const CallInfo *call, const Code *callee, uint32_t mask)
{
    Frame   *up  = w->frame;
    uint32_t top = frame_top(up, mask);
    if (up->depth + 1 >= MAX_CALL_DEPTH || top + callee->local_bytes > w->local_bytes)
        return fault_raise(w, u, FAULT_STACK_OVERFLOW, (unsigned)__builtin_ctz(mask), mask,
                           "calling %s at depth %u needs %u bytes of local memory, the thread has %u",
                           callee->func->name, up->depth + 1, top + callee->local_bytes, w->local_bytes);
    Frame *f      = frame_new(w->worker, callee);
    f->parent     = up;
    f->ret        = u + 1;
    f->call       = call;
    f->alive      = mask;
    f->depth      = up->depth + 1;
    f->local_base = (top + 15) & ~15u;
    f->local_top  = f->local_base + callee->local_bytes;
    f->moves      = up->moves || callee->uses_alloca;
    transfer(call->args, call->nargs, up->regs, up->code, f->regs, callee, mask);
    poison_transfer(w->worker, call->args, call->nargs, up, f, mask);
    w->frame = f;
    w->r     = f->regs;
    w->mask  = mask;
    w->merge = STOP;
    return callee->uops;
}

/* Registers that the prototype has are registers of the function that is called, as wide. */
static bool is_register(const Code *callee, uint32_t number, uint32_t bytes)
{
    const Var *v = callee_variable(callee, number);
    return v && v->reg && type_bytes(v->reg->type) == bytes;
}

static bool fits(const CallInfo *call, const Code *callee)
{
    bool ok = true;
    for (uint32_t i = 0; i < call->nargs; i++)
        ok &= !call->args[i].to_late || is_register(callee, call->args[i].to, call->args[i].bytes);
    for (uint32_t i = 0; i < call->nrets; i++)
        ok &= !call->rets[i].from_late || is_register(callee, call->rets[i].from, call->rets[i].bytes);
    return ok;
}

static const Uop *call_indirect(Warp *w, const Uop *u, const CallInfo *call)
{
    const Launch   *l       = w->block->launch;
    const uint64_t *where   = (const uint64_t *)(const void *)(w->r + u->a);
    unsigned        lane    = (unsigned)__builtin_ctz(w->mask);
    uint64_t        address = where[lane];
    uint32_t        same    = 0;
    for (uint32_t m = w->mask; m; m &= m - 1)
        if (where[__builtin_ctz(m)] == address)
            same |= m & -m;
    uint64_t    index  = (address - CODE_WINDOW) / 16;
    const Code *callee = NULL;
    for (uint32_t i = 0; i < l->prog->ncode && address >= CODE_WINDOW && address % 16 == 0; i++)
        if (l->prog->code[i]->func->index == index)
            callee = l->prog->code[i];
    if (!callee)
        return fault_raise(w, u, FAULT_BAD_CALL, lane, same,
                           "call through 0x%llx, which is not the address of a function", (unsigned long long)address);
    if (!fits(call, callee))
        return fault_raise(w, u, FAULT_BAD_CALL, lane, same,
                           "%s has other registers for its arguments than the prototype of this call",
                           callee->func->name);
    if (same != w->mask) /* the others call later: they wait at this uop */
        warp_put(w, u, w->frame, w->mask & ~same);
    return enter(w, u, call, callee, same);
}

const Uop *ctl_call(Warp *w, const Uop *u)
{
    const CallInfo *call = u->ptr;
    return call->callee ? enter(w, u, call, call->callee, w->mask) : call_indirect(w, u, call);
}

const Uop *ctl_ret(Warp *w, const Uop *u)
{
    Frame *f = w->frame;
    if (!f->parent)
        return ctl_exit(w, u);
    if (w->naparts)
        apart_leave(w, w->mask, f);
    for (uint32_t left = w->mask; left;) {
        uint32_t same = left;
        Frame   *home = home_of(f, &same), *up = home->parent;
        transfer(home->call->rets, home->call->nrets, f->regs, f->code, up->regs, up->code, same);
        poison_transfer(w->worker, home->call->rets, home->call->nrets, f, up, same);
        warp_put(w, home->ret, up, same);
        home_leave(w->worker, f, home, same);
        left &= ~same;
    }
    w->worker->event = EVENT_RESCHEDULE;
    return STOP;
}

const Uop *ctl_builtin(Warp *w, const Uop *u)
{
    return builtin_run(w, u, (Builtin)u->x);
}

const Uop *ctl_undefined(Warp *w, const Uop *u)
{
    const CallInfo *call = u->ptr;
    return fault_raise(w, u, FAULT_UNDEFINED_FUNCTION, (unsigned)__builtin_ctz(w->mask), w->mask,
                       "call of %s, which this module declares but no module defines", call->name);
}
