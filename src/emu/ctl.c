/* SPDX-License-Identifier: Apache-2.0
 *
 * Control flow and special registers: handlers that read masks and scalars, so one compilation serves every SIMD level.
 *
 * A handler that cannot go on with w's lanes as they are puts them into w->group (or drops them), sets the event and returns STOP;
 * warp_run chooses what runs next.  Handlers that may do so are never placed under a GUARD prefix: lower.c branches around them. */
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "emu/run.h"
#include "emu/sync.h"

static inline uint32_t pred(const Warp *w, Slot s)
{
    uint32_t m;
    memcpy(&m, w->r + s, 4);
    return m;
}

static const Uop *ctl_block(Warp *w, const Uop *u)
{
    Worker *k = w->worker;
    if (__builtin_expect(w->quantum < 0, 0)) {
        w->pc    = u;
        k->event = EVENT_QUANTUM;
        return STOP;
    }
    k->executed[u->instr]++;
    k->lanes[u->instr] += w->mask == UINT32_MAX ? (unsigned)LANES : (unsigned)__builtin_popcount(w->mask);
    w->quantum -= u->n;
    return u + 1;
}

/* Runs the n uops behind u; the last one's successor is returned (always u + 1 + n, or STOP). */
static inline const Uop *run_prefixed(Warp *w, const Uop *u)
{
    const Uop *p = u + 1, *end = p + u->n;
    while (p < end)
        p = p->fn(w, p);
    return p;
}

static const Uop *ctl_guard(Warp *w, const Uop *u)
{
    uint32_t mask = w->mask, m = pred(w, u->a);
    m = mask & (u->x ? ~m : m);
    if (m == 0)
        return u + 1 + u->n;
    w->mask      = m;
    const Uop *p = run_prefixed(w, u);
    w->mask      = mask;
    return p;
}

static const Uop *ctl_fpmode(Warp *w, const Uop *u)
{
#if defined(__x86_64__)
    unsigned old = _mm_getcsr();
    _mm_setcsr((old & ~0xe040u) | u->x);
    const Uop *p = run_prefixed(w, u);
    _mm_setcsr(old);
    return p;
#else
    return run_prefixed(w, u);
#endif
}

static const Uop *ctl_jump(Warp *w, const Uop *u)
{
    (void)w;
    return u->target;
}

static const Uop *ctl_bra(Warp *w, const Uop *u)
{
    uint32_t p     = pred(w, u->a);
    uint32_t taken = w->mask & (u->x ? ~p : p);
    if (taken == 0)
        return u + 1;
    if (taken == w->mask)
        return u->target;
    /* the lower pc goes on, the other waits */
    const Uop *next = u + 1;
    uint32_t   stay = w->mask & ~taken;
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

static const Uop *ctl_brx(Warp *w, const Uop *u)
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
    }
    w->worker->event = EVENT_RESCHEDULE;
    return STOP;
}

/* ---- calls ---- */

static void leave_frame(Warp *w, Frame *f, uint32_t lanes)
{
    f->alive &= ~lanes;
    if (f->alive == 0)
        frame_free(w->worker, f);
}

static const Uop *ctl_exit(Warp *w, const Uop *u)
{
    Block   *b    = w->block;
    uint32_t mask = w->mask;
    (void)u;
    for (Frame *f = w->frame, *up; f; f = up) {
        up = f->parent;
        leave_frame(w, f, mask);
    }
    w->live &= ~mask;
    for (uint32_t i = 0; i < w->ngroups; i++) /* who waited for these lanes looks again */
        if (w->group[i].state == GROUP_SYNC)
            w->group[i].state = GROUP_READY;
    b->live -= (unsigned)__builtin_popcount(mask);
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
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t m = mask; m; m &= m - 1) {
            unsigned       lane = (unsigned)__builtin_ctz(m);
            const uint8_t *src =
                t[i].from_reg ? from + t[i].from + lane * t[i].bytes : lane_bytes(from, from_code, t[i].from, lane);
            uint8_t *dst = t[i].to_reg ? to + t[i].to + lane * t[i].bytes : lane_bytes(to, to_code, t[i].to, lane);
            memcpy(dst, src, t[i].bytes);
        }
}

static const Uop *enter(Warp *w, const Uop *u, const CallInfo *call, const Code *callee, uint32_t mask)
{
    Frame *up = w->frame;
    if (up->depth + 1 >= MAX_CALL_DEPTH || up->local_top + callee->local_bytes > w->local_bytes)
        return fault_raise(w, u, FAULT_STACK_OVERFLOW, (unsigned)__builtin_ctz(mask), mask,
                           "calling %s at depth %u needs %u bytes of local memory, the thread has %u",
                           callee->func->name, up->depth + 1, up->local_top + callee->local_bytes, w->local_bytes);
    Frame *f      = frame_new(w->worker, callee);
    f->parent     = up;
    f->ret        = u + 1;
    f->call       = call;
    f->alive      = mask;
    f->depth      = up->depth + 1;
    f->local_base = (up->local_top + 15) & ~15u;
    f->local_top  = f->local_base + callee->local_bytes;
    transfer(call->args, call->nargs, up->regs, up->code, f->regs, callee, mask);
    w->frame = f;
    w->r     = f->regs;
    w->mask  = mask;
    w->merge = STOP;
    return callee->uops;
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
    for (uint32_t i = 0; i < l->prog->ncode && address >= CODE_WINDOW; i++)
        if (l->prog->code[i]->func->index == index)
            callee = l->prog->code[i];
    if (!callee)
        return fault_raise(w, u, FAULT_BAD_CALL, lane, same,
                           "call through 0x%llx, which is not the address of a function", (unsigned long long)address);
    if (same != w->mask) /* the others call later: they wait at this uop */
        warp_put(w, u, w->frame, w->mask & ~same);
    return enter(w, u, call, callee, same);
}

static const Uop *ctl_call(Warp *w, const Uop *u)
{
    const CallInfo *call = u->ptr;
    return call->callee ? enter(w, u, call, call->callee, w->mask) : call_indirect(w, u, call);
}

static const Uop *ctl_ret(Warp *w, const Uop *u)
{
    Frame *f = w->frame, *up = f->parent;
    if (!up)
        return ctl_exit(w, u);
    transfer(f->call->rets, f->call->nrets, f->regs, f->code, up->regs, up->code, w->mask);
    const Uop *next = f->ret;
    leave_frame(w, f, w->mask);
    warp_put(w, next, up, w->mask);
    w->worker->event = EVENT_RESCHEDULE;
    return STOP;
}

static const Uop *ctl_builtin(Warp *w, const Uop *u)
{
    return builtin_run(w, u, (Builtin)u->x);
}

static const Uop *ctl_undefined(Warp *w, const Uop *u)
{
    const CallInfo *call = u->ptr;
    return fault_raise(w, u, FAULT_UNDEFINED_FUNCTION, (unsigned)__builtin_ctz(w->mask), w->mask,
                       "call of %s, which this module declares but no module defines", call->name);
}

static const Uop *ctl_trap(Warp *w, const Uop *u)
{
    return fault_raise(w, u, FAULT_TRAP, (unsigned)__builtin_ctz(w->mask), w->mask, "the kernel executed trap");
}

static const Uop *ctl_unsupported(Warp *w, const Uop *u)
{
    const Instr *in     = w->block->launch->prog->instr[u->instr].in;
    const Form  *form   = op_form(in->op->op);
    const char  *family = form->exactness == UNSUPPORTED ? form->note : ""; /* notes of other rows say other things */
    return fault_raise(w, u, FAULT_UNSUPPORTED, (unsigned)__builtin_ctz(w->mask), w->mask, "%s is not implemented%s%s",
                       in->op->text, family[0] ? ": " : "", family);
}

/* ---- special registers and addresses ---- */

static void broadcast32(Warp *w, Slot d, uint32_t v)
{
    uint32_t *p = SLOT(w, uint32_t, d);
    for (int i = 0; i < LANES; i++)
        p[i] = w->mask >> i & 1 ? v : p[i];
}

static void broadcast64(Warp *w, Slot d, uint64_t v)
{
    uint64_t *p = SLOT(w, uint64_t, d);
    for (int i = 0; i < LANES; i++)
        p[i] = w->mask >> i & 1 ? v : p[i];
}

static void vector32(Warp *w, Slot d, const uint32_t *v)
{
    uint32_t *p = SLOT(w, uint32_t, d);
    for (int i = 0; i < LANES; i++)
        p[i] = w->mask >> i & 1 ? v[i] : p[i];
}

/* Warp instructions this worker has run: the emulator's clock. */
static uint64_t clock_now(const Warp *w)
{
    const Worker *k = w->worker;
    return __atomic_load_n(&w->block->launch->spent, __ATOMIC_RELAXED) + k->spent + (uint64_t)(4096 - w->quantum) + 1;
}

static void lane_masks(Warp *w, Slot d, SReg which)
{
    uint32_t v[LANES];
    for (unsigned i = 0; i < LANES; i++) {
        uint32_t below = (UINT32_C(1) << i) - 1, at = UINT32_C(1) << i;
        v[i] = which == SREG_lanemask_eq   ? at
               : which == SREG_lanemask_lt ? below
               : which == SREG_lanemask_le ? below | at
               : which == SREG_lanemask_gt ? ~(below | at)
                                           : ~below;
    }
    vector32(w, d, v);
}

static uint32_t scalar_sreg(const Warp *w, SReg which)
{
    const Block  *b = w->block;
    const Launch *l = b->launch;
    switch (which) {
    case SREG_ntid_x: return l->block[0];
    case SREG_ntid_y: return l->block[1];
    case SREG_ntid_z: return l->block[2];
    case SREG_ctaid_x: return b->id[0];
    case SREG_ctaid_y: return b->id[1];
    case SREG_ctaid_z: return b->id[2];
    case SREG_nctaid_x: return l->grid[0];
    case SREG_nctaid_y: return l->grid[1];
    case SREG_nctaid_z: return l->grid[2];
    case SREG_warpid: return w->index;
    case SREG_nwarpid: return 64;
    case SREG_smid: return (uint32_t)(b->index % 132);
    case SREG_nsmid: return 132;
    case SREG_gridid: return 1;
    case SREG_total_smem_size: return l->shared_bytes;
    case SREG_aggr_smem_size: return l->shared_bytes;
    case SREG_dynamic_smem_size: return l->ask->shared;
    case SREG_reserved_smem_offset_end: return SHARED_RESERVED;
    case SREG_reserved_smem_offset_cap: return SHARED_RESERVED;
    case SREG_nclusterid_x: return l->grid[0];
    case SREG_nclusterid_y: return l->grid[1];
    case SREG_nclusterid_z: return l->grid[2];
    case SREG_clusterid_x: return b->id[0];
    case SREG_clusterid_y: return b->id[1];
    case SREG_clusterid_z: return b->id[2];
    case SREG_cluster_nctaid_x:
    case SREG_cluster_nctaid_y:
    case SREG_cluster_nctaid_z:
    case SREG_cluster_nctarank: return 1;
    case SREG_clock: return (uint32_t)clock_now(w);
    case SREG_clock_hi: return (uint32_t)(clock_now(w) >> 32);
    case SREG_globaltimer_lo: return (uint32_t)clock_now(w);
    case SREG_globaltimer_hi: return (uint32_t)(clock_now(w) >> 32);
    default: return 0;
    }
}

static const Uop *ctl_sreg(Warp *w, const Uop *u)
{
    SReg which = (SReg)u->x;
    switch (which) {
    case SREG_tid_x: vector32(w, u->d, w->tid[0]); break;
    case SREG_tid_y: vector32(w, u->d, w->tid[1]); break;
    case SREG_tid_z: vector32(w, u->d, w->tid[2]); break;
    case SREG_laneid: vector32(w, u->d, w->laneid); break;
    case SREG_lanemask_eq:
    case SREG_lanemask_le:
    case SREG_lanemask_lt:
    case SREG_lanemask_ge:
    case SREG_lanemask_gt: lane_masks(w, u->d, which); break;
    default: broadcast32(w, u->d, scalar_sreg(w, which));
    }
    return u + 1;
}

static const Uop *ctl_sreg64(Warp *w, const Uop *u)
{
    SReg which = (SReg)u->x;
    broadcast64(w, u->d, which == SREG_gridid ? 1 : clock_now(w));
    w->worker->sync_ops = true; /* a loop on the clock waits */
    return u + 1;
}

static const Uop *ctl_param_addr(Warp *w, const Uop *u)
{
    broadcast64(w, u->d, w->block->launch->dev->param_base + (uint64_t)u->imm);
    return u + 1;
}

static const Uop *ctl_local_addr(Warp *w, const Uop *u)
{
    uint64_t v = w->frame->local_base + (uint64_t)u->imm;
    if (u->x == 8)
        broadcast64(w, u->d, v);
    else
        broadcast32(w, u->d, (uint32_t)v);
    return u + 1;
}

/* Constants and parameters lie among the global allocations; only their kind tells them. */
static bool in_space(Memory *m, Space space, uint64_t address)
{
    Alloc tmp;
    if (space == SPACE_SHARED)
        return address - SHARED_WINDOW < WINDOW_BYTES;
    if (space == SPACE_LOCAL)
        return address - LOCAL_WINDOW < WINDOW_BYTES;
    const Alloc *a        = memory_find(m, address, &tmp);
    bool         constant = a && a->kind == ALLOC_CONST_VAR, param = a && a->kind == ALLOC_PARAM;
    return space == SPACE_CONST   ? constant
           : space == SPACE_PARAM ? param
                                  : address - m->base < m->size && !constant && !param;
}

static const Uop *ctl_isspacep(Warp *w, const Uop *u)
{
    const uint64_t *a  = (const uint64_t *)(const void *)(w->r + u->a);
    Memory         *m  = &w->block->launch->dev->mem;
    uint32_t        is = 0;
    for (uint32_t left = w->mask; left; left &= left - 1) {
        unsigned i = (unsigned)__builtin_ctz(left);
        is |= (uint32_t)in_space(m, (Space)u->x, a[i]) << i;
    }
    uint32_t old = pred(w, u->d), new = (old & ~w->mask) | (is & w->mask);
    memcpy(w->r + u->d, &new, 4);
    return u + 1;
}

static const Uop *ctl_fence(Warp *w, const Uop *u)
{
    (void)w;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return u + 1;
}

static const Uop *ctl_nanosleep(Warp *w, const Uop *u)
{
    w->worker->sync_ops = true;
    w->quantum -= 64; /* a sleeper lets the others go first */
    return u + 1;
}

static const Uop *ctl_nop(Warp *w, const Uop *u)
{
    (void)w;
    return u + 1;
}

static const Uop *ctl_may_wait(Warp *w, const Uop *u)
{
    w->worker->sync_ops = true;
    return u + 1;
}

static const Uop *ctl_addr_add(Warp *w, const Uop *u)
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

static const Uop *ctl_resize(Warp *w, const Uop *u)
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

static const Uop *ctl_pred_not(Warp *w, const Uop *u)
{
    uint32_t m = ~pred(w, u->a);
    memcpy(w->r + u->d, &m, 4);
    return u + 1;
}

/* Lanes of one activation share its stack top: the largest request counts. */
static const Uop *ctl_alloca(Warp *w, const Uop *u)
{
    uint64_t most = 0, align = u->imm > 16 ? (uint64_t)u->imm : 16;
    for (uint32_t m = w->mask; m; m &= m - 1) {
        unsigned i     = (unsigned)__builtin_ctz(m);
        uint64_t bytes = u->x == 8 ? SLOT(w, uint64_t, u->a)[i] : SLOT(w, uint32_t, u->a)[i];
        most           = bytes > most ? bytes : most;
    }
    uint64_t at = (w->frame->local_top + align - 1) & -align;
    if (at + most > w->local_bytes)
        return fault_raise(w, u, FAULT_STACK_OVERFLOW, (unsigned)__builtin_ctz(w->mask), w->mask,
                           "alloca of %llu bytes; %u of the thread's %u bytes of local memory are in use",
                           (unsigned long long)most, w->frame->local_top, w->local_bytes);
    w->frame->local_top = (uint32_t)(at + most);
    if (u->x == 8)
        broadcast64(w, u->d, at);
    else
        broadcast32(w, u->d, (uint32_t)at);
    return u + 1;
}

static const Uop *ctl_stacksave(Warp *w, const Uop *u)
{
    if (u->x == 8)
        broadcast64(w, u->d, w->frame->local_top);
    else
        broadcast32(w, u->d, w->frame->local_top);
    return u + 1;
}

static const Uop *ctl_stackrestore(Warp *w, const Uop *u)
{
    unsigned i          = (unsigned)__builtin_ctz(w->mask);
    w->frame->local_top = u->x == 8 ? (uint32_t)SLOT(w, uint64_t, u->a)[i] : SLOT(w, uint32_t, u->a)[i];
    return u + 1;
}

const UopFn ctl_handlers[CTL_COUNT] = {
#define CTL(name) [CTL_##name] = ctl_##name,
#include "emu/ctl.def"
#undef CTL
};
