/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of control flow, calls, barriers and warp-wide instructions. */
#include "emu/core/builtin.h"
#include "emu/lower/lower_state.h"
#include "emu/sync/sync.h"
#include "ptx/op.h"
#include "ptx/parting.h"

/* ---- branches ---- */

static void lower_bra(Lower *lo, const Instr *in)
{
    const Label   *l      = &lo->f->labels[in->opd[0].label];
    uint32_t       target = l->target < lo->f->ninstrs ? lo->cfg->block_of[l->target] : lo->cfg->nblocks;
    const Parting *part   = &lo->parting[lo->cfg->block_of[in - lo->f->instrs]];
    Uop           *u      = lo_emit(lo, lo_ctl(lo, !in->guard ? CTL_jump : part->early ? CTL_bra_early : CTL_bra));
    if (in->guard) {
        u->a = lo->code->reg_slot[in->guard->index];
        u->x = in->guard_neg;
    }
    if (in->guard && part->early) {
        u->n                  = part->meets; /* a block, until blocks have their places */
        lo->code->keeps_apart = true;
    }
    lo_branch_to_block(lo, lo->nuops - 1, target);
}

static void lower_brx(Lower *lo, const Instr *in)
{
    const Label *list = &lo->f->labels[in->opd[1].kind == OPD_LABEL ? in->opd[1].label : (uint32_t)in->opd[1].ival];
    BranchTable *t    = ARENA_NEW(lo->p->arena, BranchTable);
    t->count          = (uint32_t)list->ntargets;
    t->target         = ARENA_ARRAY(lo->p->arena, const Uop *, t->count);
    t->block          = ARENA_ARRAY(lo->p->arena, uint32_t, t->count);
    for (uint32_t i = 0; i < t->count; i++) {
        uint32_t at = lo->f->labels[list->targets[i]].target;
        t->block[i] = at < lo->f->ninstrs ? lo->cfg->block_of[at] : lo->cfg->nblocks;
    }
    Slot index = lo_src(lo, &in->opd[0], 4, false);
    Uop *u     = lo_emit(lo, lo_ctl(lo, CTL_brx));
    u->a       = index;
    u->ptr     = t;
}

/* ---- calls ---- */

/* Where argument or result o of a call lies in the caller; what says "here" for parameter v of the callee. */
static void caller_side(Lower *lo, const Operand *o, unsigned bytes, uint32_t *at, bool *is_reg)
{
    *is_reg = !(o->kind == OPD_VAR && o->var->space == SPACE_PARAM);
    if (*is_reg)
        *at = o->kind == OPD_REG ? layout_register(lo->code, o) : lo_src(lo, o, bytes, false);
    else
        *at = layout_variable(lo->code, o->var);
}

/* A prototype has no registers, only variables that stand for them. */
static uint32_t bytes_of(const Var *v)
{
    return v->space == SPACE_REG ? type_bytes(v->type) : (uint32_t)v->bytes;
}

/* Offset of the i-th variable of a signature in the callee's buffers: results first, then parameters, as program.c lays them out. */
static uint32_t signature_offset(const Func *f, size_t index)
{
    uint32_t at = 0;
    for (size_t i = 0; i < f->nrets + f->nparams; i++) {
        const Var *v = i < f->nrets ? &f->rets[i] : &f->params[i - f->nrets];
        if (v->space == SPACE_REG)
            continue;
        uint32_t align = v->align ? v->align : 1;
        at             = (at + align - 1) & -align;
        if (i == index)
            return at;
        at += (uint32_t)v->bytes;
    }
    return at;
}

static void callee_side(const Func *f, const Code *callee, size_t index, uint32_t *at, bool *is_reg, bool *late)
{
    const Var *v = index < f->nrets ? &f->rets[index] : &f->params[index - f->nrets];
    *is_reg      = v->space == SPACE_REG;
    *late        = *is_reg && !callee;
    *at          = *late ? (uint32_t)index : *is_reg ? callee->reg_slot[v->reg->index] : signature_offset(f, index);
}

static uint32_t list_length(const Operand *o)
{
    return o->kind == OPD_LIST ? o->count : 0;
}

static void make_transfers(Lower *lo, const Instr *in, const Func *sig, const Code *callee, CallInfo *call)
{
    const Operand *rets = &in->opd[0], *args = &in->opd[2];
    call->nargs = list_length(args);
    call->nrets = list_length(rets);
    if (call->nargs > sig->nparams)
        call->nargs = (uint32_t)sig->nparams;
    if (call->nrets > sig->nrets)
        call->nrets = (uint32_t)sig->nrets;
    call->args = ARENA_ARRAY(lo->p->arena, Transfer, call->nargs);
    call->rets = ARENA_ARRAY(lo->p->arena, Transfer, call->nrets);
    for (uint32_t i = 0; i < call->nargs; i++) {
        Transfer  *t = &call->args[i];
        const Var *v = &sig->params[i];
        t->bytes     = bytes_of(v);
        caller_side(lo, &args->elem[i], t->bytes, &t->from, &t->from_reg);
        callee_side(sig, callee, sig->nrets + i, &t->to, &t->to_reg, &t->to_late);
    }
    for (uint32_t i = 0; i < call->nrets; i++) {
        Transfer  *t = &call->rets[i];
        const Var *v = &sig->rets[i];
        t->bytes     = bytes_of(v);
        callee_side(sig, callee, i, &t->from, &t->from_reg, &t->from_late);
        caller_side(lo, &rets->elem[i], t->bytes, &t->to, &t->to_reg);
    }
}

static void note_call(Lower *lo, Code *callee)
{
    struct CallEdge *e = ARENA_NEW(lo->p->arena, struct CallEdge);
    e->callee          = callee;
    e->next            = lo->code->calls;
    lo->code->calls    = e;
}

static void lower_indirect_call(Lower *lo, const Instr *in, CallInfo *call)
{
    static const Func no_signature;
    const Operand    *proto = &in->opd[3];
    const Func       *sig   = &no_signature;
    if (proto->kind == OPD_NAME) {
        const Label *l = &lo->f->labels[proto->ival];
        sig            = l->prototype ? l->prototype : l->ncallees ? l->callees[0] : sig;
    }
    make_transfers(lo, in, sig, NULL, call);
    call->name = "an address";
    Slot a     = lo_src(lo, &in->opd[1], 8, false);
    Uop *u     = lo_emit(lo, lo_ctl(lo, CTL_call));
    u->a       = a;
    u->ptr     = call;
}

static void lower_call(Lower *lo, const Instr *in)
{
    CallInfo *call = ARENA_NEW(lo->p->arena, CallInfo);
    if (in->opd[1].kind != OPD_FUNC) {
        lower_indirect_call(lo, in, call);
        return;
    }
    const Func *f = in->opd[1].func;
    f             = f->alias_of ? f->alias_of : f;
    Code *callee  = layout_code(lo->p, f);
    call->callee  = callee;
    call->name    = f->name;
    make_transfers(lo, in, f, callee, call);
    Builtin which = callee ? BUILTIN_NONE : builtin_find(f->name);
    Uop    *u     = lo_emit(lo, lo_ctl(lo, callee ? CTL_call : which ? CTL_builtin : CTL_undefined));
    u->ptr        = call;
    u->x          = which;
    if (callee)
        note_call(lo, callee);
}

/* ---- barriers ---- */

static void emit_bar(Lower *lo, BarKind kind, const Operand *id, const Operand *count, const Operand *pred)
{
    Slot a = lo_src(lo, id, 4, false), b = count ? lo_src(lo, count, 4, false) : 0;
    Slot c   = 0;
    bool neg = false;
    if (pred) {
        Operand plain = *pred;
        neg           = pred->neg;
        plain.neg     = false;
        c             = lo_src(lo, &plain, 0, false);
    }
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_bar));
    u->a   = a;
    u->b   = b;
    u->c   = c;
    u->e   = neg;
    u->x   = (uint16_t)kind;
    u->y   = count != NULL;
}

static void lower_bar_red(Lower *lo, const Instr *in, BarKind kind)
{
    unsigned last = in->nopd - 1u;
    emit_bar(lo, kind, &in->opd[1], last == 3 ? &in->opd[2] : NULL, &in->opd[last]);
    unsigned bytes = kind == BAR_RED_POPC ? 4 : 0;
    Slot     d     = bytes ? lo_dst(lo, &in->opd[0], 4) : lo_dst(lo, &in->opd[0], 0);
    Slot     a     = lo_src(lo, &in->opd[1], 4, false);
    Uop     *u     = lo_emit(lo, lo_ctl(lo, CTL_bar_result));
    u->d           = d;
    u->a           = a;
    u->x           = (uint16_t)kind;
    if (bytes)
        lo_dst_done(lo, &in->opd[0], d, 4, false);
}

static bool lower_barrier(Lower *lo, const Instr *in)
{
    const Operand *o = in->opd;
    switch (in->op->op) {
    case OP_bar_sync:
    case OP_barrier_sync: emit_bar(lo, BAR_SYNC, &o[0], in->nopd > 1 ? &o[1] : NULL, NULL); return true;
    case OP_bar_arrive:
    case OP_barrier_arrive: emit_bar(lo, BAR_ARRIVE, &o[0], &o[1], NULL); return true;
    case OP_bar_red_popc:
    case OP_barrier_red_popc: lower_bar_red(lo, in, BAR_RED_POPC); return true;
    case OP_bar_red:
    case OP_barrier_red: lower_bar_red(lo, in, opcode_has(in->op, WORD_and) ? BAR_RED_AND : BAR_RED_OR); return true;
    case OP_bar_warp_sync: {
        Slot a                                   = lo_src(lo, &o[0], 4, false);
        lo_emit(lo, lo_ctl(lo, CTL_syncwarp))->a = a;
        return true;
    }
    default: return false;
    }
}

/* ---- warp-wide ---- */

/* First destination and the optional predicate of "d|p". */
static void pair(const Operand *o, const Operand **d, const Operand **q)
{
    *d = o->kind == OPD_PAIR ? &o->elem[0] : o;
    *q = o->kind == OPD_PAIR ? &o->elem[1] : NULL;
}

static Slot pred_dst(Lower *lo, const Operand *q)
{
    return q && q->kind == OPD_REG ? layout_register(lo->code, q) : NO_SLOT;
}

static void lower_shfl(Lower *lo, const Instr *in)
{
    const Operand *d, *q, *o = in->opd;
    pair(&o[0], &d, &q);
    ShflMode mode = opcode_has(in->op, WORD_up)     ? SHFL_UP
                    : opcode_has(in->op, WORD_down) ? SHFL_DOWN
                    : opcode_has(in->op, WORD_bfly) ? SHFL_BFLY
                                                    : SHFL_IDX;
    Slot     a = lo_src(lo, &o[1], 4, false), b = lo_src(lo, &o[2], 4, false), c = lo_src(lo, &o[3], 4, false);
    Slot     e  = in->op->op == OP_shfl_sync ? lo_src(lo, &o[4], 4, false) : NO_SLOT;
    Slot     to = lo_dst(lo, d, 4);
    Uop     *u  = lo_emit(lo, lo_ctl(lo, CTL_shfl));
    u->d = to, u->a = a, u->b = b, u->c = c, u->e = e;
    u->n = pred_dst(lo, q);
    u->x = (uint16_t)mode;
    lo_dst_done(lo, d, to, 4, false);
}

static void lower_vote(Lower *lo, const Instr *in, bool ballot, bool sync)
{
    const Operand *o     = in->opd;
    Operand        plain = o[1];
    plain.neg            = false;
    Slot a               = lo_src(lo, &plain, 0, false);
    Slot e               = sync ? lo_src(lo, &o[2], 4, false) : NO_SLOT;
    Slot d               = lo_dst(lo, &o[0], ballot ? 4 : 0);
    Uop *u               = lo_emit(lo, lo_ctl(lo, CTL_vote));
    u->d = d, u->a = a, u->e = e;
    u->x = o[1].neg;
    u->y = ballot                         ? VOTE_BALLOT
           : opcode_has(in->op, WORD_all) ? VOTE_ALL
           : opcode_has(in->op, WORD_any) ? VOTE_ANY
                                          : VOTE_UNI;
    if (ballot)
        lo_dst_done(lo, &o[0], d, 4, false);
}

static void lower_match(Lower *lo, const Instr *in, bool all)
{
    const Operand *d, *q, *o = in->opd;
    unsigned       bytes = type_bytes(in->op->types[0]);
    pair(&o[0], &d, &q);
    Slot a = lo_src(lo, &o[1], bytes, false), e = lo_src(lo, &o[2], 4, false), to = lo_dst(lo, d, 4);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_match));
    u->d = to, u->a = a, u->e = e;
    u->n = pred_dst(lo, q);
    u->x = (uint16_t)bytes;
    u->y = all;
    lo_dst_done(lo, d, to, 4, false);
}

static ReduxOp redux_op(const Instr *in)
{
    bool is_signed = type_kind(in->op->types[0]) == 's';
    if (opcode_has(in->op, WORD_add))
        return REDUX_ADD;
    if (opcode_has(in->op, WORD_min))
        return is_signed ? REDUX_MIN_S : REDUX_MIN_U;
    if (opcode_has(in->op, WORD_max))
        return is_signed ? REDUX_MAX_S : REDUX_MAX_U;
    return opcode_has(in->op, WORD_and) ? REDUX_AND : opcode_has(in->op, WORD_or) ? REDUX_OR : REDUX_XOR;
}

static void lower_redux(Lower *lo, const Instr *in)
{
    const Operand *o = in->opd;
    Slot           a = lo_src(lo, &o[1], 4, false), e = lo_src(lo, &o[2], 4, false), d = lo_dst(lo, &o[0], 4);
    Uop           *u = lo_emit(lo, lo_ctl(lo, CTL_redux));
    u->d = d, u->a = a, u->e = e;
    u->x = (uint16_t)redux_op(in);
    lo_dst_done(lo, &o[0], d, 4, false);
}

static void lower_elect(Lower *lo, const Instr *in)
{
    const Operand *d, *q;
    pair(&in->opd[0], &d, &q);
    Slot e = lo_src(lo, &in->opd[1], 4, false), to = lo_dst(lo, d, 4), p = pred_dst(lo, q);
    p      = p == NO_SLOT ? lo_temp(lo, 0) : p;
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_elect));
    u->d = to, u->e = e, u->n = p;
    lo_dst_done(lo, d, to, 4, false);
}

static bool lower_warp_wide(Lower *lo, const Instr *in)
{
    switch (in->op->op) {
    case OP_shfl_sync:
    case OP_shfl: lower_shfl(lo, in); return true;
    case OP_vote_sync: lower_vote(lo, in, false, true); return true;
    case OP_vote_ballot_sync: lower_vote(lo, in, true, true); return true;
    case OP_vote: lower_vote(lo, in, false, false); return true;
    case OP_vote_ballot: lower_vote(lo, in, true, false); return true;
    case OP_match_any: lower_match(lo, in, false); return true;
    case OP_match_all: lower_match(lo, in, true); return true;
    case OP_redux_sync: lower_redux(lo, in); return true;
    case OP_elect_sync: lower_elect(lo, in); return true;
    case OP_activemask: {
        Slot d                                     = lo_dst(lo, &in->opd[0], 4);
        lo_emit(lo, lo_ctl(lo, CTL_activemask))->d = d;
        lo_dst_done(lo, &in->opd[0], d, 4, false);
        return true;
    }
    default: return false;
    }
}

bool lower_needs_branch(const Instr *in)
{
    switch (in->op->op) {
    case OP_bar_warp_sync:
    case OP_shfl_sync:
    case OP_vote_sync:
    case OP_vote_ballot_sync:
    case OP_match_any:
    case OP_match_all:
    case OP_redux_sync:
    case OP_elect_sync:
    case OP_ldmatrix:
    case OP_stmatrix:
    case OP_movmatrix:
    case OP_mma:
    case OP_mma_bit:
    case OP_mma_sp:
    case OP_wgmma:
    case OP_wgmma_bit:
    case OP_wgmma_sp:
    case OP_wgmma_fence:
    case OP_wgmma_commit:
    case OP_wgmma_wait:
    case OP_wmma_load:
    case OP_wmma_store:
    case OP_wmma_mma:
    case OP_wmma_mma4:
    case OP_wmma_bit:
    case OP_barrier_cluster_arrive:
    case OP_barrier_cluster_wait:
    case OP_mbarrier_test:
    case OP_mbarrier_test_parity:
    case OP_mbarrier_try:
    case OP_mbarrier_try_parity:
    case OP_bar_sync:
    case OP_barrier_sync:
    case OP_bar_arrive:
    case OP_barrier_arrive:
    case OP_bar_red:
    case OP_bar_red_popc:
    case OP_barrier_red:
    case OP_barrier_red_popc:
    case OP_call:
    case OP_ret:
    case OP_exit:
    case OP_brx_idx:
    case OP_trap:
    case OP_brkpt: return true;
    default: return false;
    }
}

/* membar.level is fence.sc at that scope; a fence without .sem is acq_rel. */
static void lower_fence(Lower *lo, const Instr *in)
{
    const Opcode *o     = in->op;
    Sem           sem   = lo_sem(o);
    Scope         scope = lo_scope(o);
    if (o->op == OP_membar) {
        sem   = SEM_SC;
        scope = opcode_has(o, WORD_cta) ? SCOPE_CTA : opcode_has(o, WORD_gl) ? SCOPE_GPU : SCOPE_SYS;
    }
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_fence));
    u->x   = (uint16_t)(sem == SEM_WEAK ? SEM_ACQ_REL : sem);
    u->y   = (uint16_t)scope;
}

/* Of tensor maps; those of the async proxy order memory as any fence does. */
static void lower_map_fence(Lower *lo, const Instr *in)
{
    lower_fence(lo, in);
    if (!opcode_has(in->op, WORD_tensormap_generic))
        return;
    if (!in->nopd) {
        lo_emit(lo, lo_ctl(lo, CTL_tensormap_release));
        return;
    }
    MemInfo *m = ARENA_NEW(lo->p->arena, MemInfo);
    *m         = (MemInfo){.space = SPACE_GENERIC, .addr64 = true};
    Slot a     = lo_mem_address(lo, &in->opd[0], m);
    Uop *u     = lo_emit(lo, lo_ctl(lo, CTL_tensormap_acquire));
    u->a       = a;
    u->ptr     = m;
}

static void lower_maxnreg(Lower *lo, const Instr *in)
{
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_setmaxnreg));
    u->imm = in->opd[0].ival;
    u->x   = opcode_has(in->op, WORD_inc);
    if (u->x && u->imm > lo->p->largest_inc)
        lo->p->largest_inc = (uint32_t)u->imm;
}

bool lower_control(Lower *lo, const Instr *in)
{
    switch (in->op->op) {
    case OP_bra: lower_bra(lo, in); return true;
    case OP_brx_idx: lower_brx(lo, in); return true;
    case OP_call: lower_call(lo, in); return true;
    case OP_ret: lo_emit(lo, lo_ctl(lo, CTL_ret)); return true;
    case OP_exit: lo_emit(lo, lo_ctl(lo, CTL_exit)); return true;
    case OP_trap:
    case OP_brkpt: lo_emit(lo, lo_ctl(lo, CTL_trap)); return true;
    case OP_nanosleep: lo_emit(lo, lo_ctl(lo, CTL_nanosleep)); return true;
    case OP_membar:
    case OP_fence:
    case OP_fence_proxy_async_generic:
    case OP_fence_acqrel_sync:
    case OP_fence_mbarrier_init: lower_fence(lo, in); return true;
    case OP_fence_proxy_tensormap: lower_map_fence(lo, in); return true;
    case OP_setmaxnreg: lower_maxnreg(lo, in); return true;
    case OP_pmevent: lo_emit(lo, lo_ctl(lo, CTL_nop)); return true;
    case OP_griddepcontrol:
        lo_emit(lo, lo_ctl(lo, opcode_has(in->op, WORD_wait) ? CTL_grid_wait : CTL_nop));
        return true;
    case OP_membar_proxy:
    case OP_fence_proxy:
        lo_emit(lo, lo_ctl(lo, opcode_has(in->op, WORD_async) ? CTL_fence_async : CTL_fence));
        return true;
    case OP_barrier_cluster_arrive:
        lo_emit(lo, lo_ctl(lo, CTL_cluster_arrive))->x = opcode_has(in->op, WORD_relaxed) ? SEM_RELAXED : SEM_RELEASE;
        return true;
    case OP_barrier_cluster_wait: lo_emit(lo, lo_ctl(lo, CTL_cluster_wait)); return true;
    default: return lower_barrier(lo, in) || lower_warp_wide(lo, in);
    }
}
