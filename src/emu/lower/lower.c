/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk over a function's blocks, guards, branch targets, and what is kept of a function when it is lowered.
 *
 * Blocks are emitted in Cfg.order, so that the address of a uop is its scheduling priority (turn.c). */
#include "emu/lower/lower.h"

#include <stdlib.h>
#include <string.h>

#include "emu/lower/lower_state.h"
#include "emu/sync/sync.h"
#include "ptx/idle_clock.h"
#include "ptx/lifetime.h"
#include "ptx/op.h"
#include "ptx/parting.h"
#include "ptx/reuse.h"
#include "ptx/sinks.h"
#include "ptx/traits.h"
#include "ptx/unset.h"

/* ---- instructions ---- */

static void lower_body(Lower *lo, const Instr *in)
{
    lower_wgmma_watch(lo, in);
    if (op_form(in->op->op)->exactness == UNSUPPORTED)
        lo_emit(lo, lo_ctl(lo, CTL_unsupported));
    else if (!lower_control(lo, in) && !lower_memory(lo, in) && !lower_matrix(lo, in) && !lower_wgmma(lo, in) &&
             !lower_async(lo, in) && !lower_bulk(lo, in) && !lower_texture(lo, in) && !lower_lane(lo, in))
        lo_emit(lo, lo_ctl(lo, CTL_unsupported));
}

static void lower_instr(Lower *lo, uint32_t index)
{
    const Instr *in = &lo->f->instrs[index];
    lo->in          = in;
    lo->instr       = lo->code->instr_base + index;
    for (uint32_t i = 0; i < lo->ntemps; i++)
        lo->temps[i].used = false;
    if (!in->guard || in->op->op == OP_bra) {
        lower_body(lo, in);
        return;
    }
    uint32_t at     = lo->nuops;
    bool     around = lower_needs_branch(in) || op_form(in->op->op)->exactness == UNSUPPORTED;
    Uop     *u      = lo_emit(lo, lo_ctl(lo, around ? CTL_bra : CTL_guard));
    u->a            = lo->code->reg_slot[in->guard->index];
    u->x            = around ? !in->guard_neg : in->guard_neg;
    lower_body(lo, in);
    if (around)
        lo_branch_here(lo, at);
    else
        lo->uops[at].n = lo->nuops - at - 1;
}

static bool ends_without_next(const Instr *in)
{
    return !in->guard && op_is(in, TRAIT_JUMP | TRAIT_END);
}

/* ---- blocks ---- */

/* For endless.c.  Can an instruction of [first, end) change what another thread sees, or read what changes by itself? */
static bool may_change(const Instr *first, const Instr *end)
{
    for (const Instr *in = first; in < end; in++)
        if (!op_only_looks(in))
            return true;
    return false;
}

static void lower_head(Lower *lo, const Instr *first, const Instr *end)
{
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_block));
    u->n   = (uint32_t)(end - first);
    u->x   = may_change(first, end);
}

/* Tells of the loads that are made where the block begins. */
static void lower_sinks(Lower *lo, uint32_t block)
{
    const Code *c     = lo->code;
    uint32_t    first = 0, end = c->nsinks;
    while (first < end) { /* to the block's first one */
        uint32_t middle = first + (end - first) / 2;
        if (c->sink[middle].block < block)
            first = middle + 1;
        else
            end = middle;
    }
    for (uint32_t i = first; i < c->nsinks && c->sink[i].block == block; i++) {
        const Sink *s = &c->sink[i];
        lo->in        = &lo->f->instrs[s->instr];
        lo->instr     = c->instr_base + s->instr;
        if (s->guard) {
            Uop *u = lo_emit(lo, lo_ctl(lo, CTL_guard));
            u->a   = c->reg_slot[s->guard->index];
            u->x   = s->negated;
            u->n   = 1;
        }
        lower_sunk(lo, lo->in);
    }
}

static void lower_block(Lower *lo, uint32_t place)
{
    uint32_t        b  = lo->cfg->order[place];
    const CfgBlock *cb = &lo->cfg->block[b];
    lo->block_uop[b]   = lo->nuops;
    lo->instr          = lo->code->instr_base + cb->first;
    if (cb->end > cb->first)
        lower_head(lo, lo->f->instrs + cb->first, lo->f->instrs + cb->end);
    lower_sinks(lo, b);
    for (uint32_t i = cb->first; i < cb->end; i++)
        lower_instr(lo, i);
    if (cb->end > cb->first && ends_without_next(&lo->f->instrs[cb->end - 1]))
        return;
    if (b + 1 >= lo->cfg->nblocks) {
        lo_emit(lo, lo_ctl(lo, CTL_ret)); /* runs off the end */
    } else if (place + 1 >= lo->cfg->norder || lo->cfg->order[place + 1] != b + 1) {
        lo_emit(lo, lo_ctl(lo, CTL_jump));
        lo_branch_to_block(lo, lo->nuops - 1, b + 1);
    }
}

static void resolve_branches(Lower *lo)
{
    Code *c = lo->code;
    for (uint32_t i = 0; i < lo->nfixups; i++) {
        const Fixup *f         = &lo->fixups[i];
        c->uops[f->uop].target = &c->uops[f->block == CFG_NONE ? f->at : lo->block_uop[f->block]];
    }
    for (uint32_t i = 0; i < c->nuops; i++) {
        Uop *u = &c->uops[i];
        if (u->fn == lo_ctl(lo, CTL_bra_early) && u->n != CFG_NONE)
            u->n = lo->block_uop[u->n];
        if (u->fn != lo_ctl(lo, CTL_brx))
            continue;
        BranchTable *t = (BranchTable *)(uintptr_t)u->ptr;
        for (uint32_t j = 0; j < t->count; j++)
            t->target[j] = &c->uops[lo->block_uop[t->block[j]]];
    }
}

/* How many blocks stand between b and the function's end on the way of ipdom; depth: by block, 0: not known yet, plus 1. */
static uint32_t end_distance(const Cfg *g, uint32_t b, uint32_t *depth)
{
    uint32_t steps = 0, at = b;
    for (; at != CFG_NONE && !depth[at]; at = g->block[at].ipdom)
        steps++;
    uint32_t d = steps + (at == CFG_NONE ? 0 : depth[at]);
    for (at = b; at != CFG_NONE && !depth[at]; at = g->block[at].ipdom)
        depth[at] = d--;
    return depth[b] - 1;
}

/* Where each block's paths meet again, for schedules that do not run the lowest path first. */
static void keep_blocks(Lower *lo, Arena *tmp)
{
    Code      *c     = lo->code;
    const Cfg *g     = lo->cfg;
    uint32_t  *depth = ARENA_ARRAY(tmp, uint32_t, g->nblocks);
    c->nblocks       = g->norder;
    c->block         = ARENA_ARRAY(lo->p->arena, CodeBlock, g->norder);
    for (uint32_t i = 0; i < g->norder; i++) {
        uint32_t b = g->order[i], meets = g->block[b].ipdom;
        c->block[i] = (CodeBlock){lo->block_uop[b], meets == CFG_NONE ? UINT32_MAX : g->block[meets].pos,
                                  end_distance(g, b, depth)};
    }
}

/* Registers that may be read before they are written, neighbours in one range; the carry flag is one of them. */
static void keep_unset(Lower *lo, Arena *tmp)
{
    Code    *code = lo->code;
    uint32_t n, *reg = ptx_unset(tmp, lo->f, lo->cfg, &n);
    code->unset = ARENA_ARRAY(lo->p->arena, struct FrameRange, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const Reg        *r     = lo->f->regs[reg[i]];
        uint32_t          bytes = type_bytes(r->type), all = bytes * LANES * (r->vec ? r->vec : 1);
        struct FrameRange range = {code->reg_slot[r->index], r->type == TY_PRED ? 4 : all},
                          *last = code->unset + code->nunset - 1;
        if (code->nunset && last->slot + last->bytes == range.slot)
            last->bytes += range.bytes;
        else
            code->unset[code->nunset++] = range;
    }
    if (lo->carry != NO_SLOT)
        code->unset[code->nunset++] = (struct FrameRange){lo->carry, 4};
}

static void mark(const Code *c, const Reg *r, bool idle)
{
    uint32_t bytes = r->type == TY_PRED ? 4 : type_bytes(r->type) * LANES * (r->vec ? r->vec : 1);
    memset(c->idle + c->reg_slot[r->index] / 4, idle, (bytes + 3) / 4);
}

/* What clocks alone decide in the frame, and what no instruction leaves to the next one.  Registers may share a slot. */
static void keep_idle(Lower *lo, Arena *tmp)
{
    Code *c = lo->code;
    if (!lo->idle)
        return;
    const Lifetime *life = ptx_lifetimes(tmp, c->func, NULL);
    c->idle              = ARENA_ARRAY(lo->p->arena, bool, c->frame_bytes / 4 + 2);
    for (int idle = 1; idle >= 0; idle--)
        for (size_t i = 0; i < c->func->nregs; i++)
            if (lo->idle[i] == idle && life[i].used)
                mark(c, c->func->regs[i], idle);
    memset(c->idle + c->first_free / 4, true, (c->frame_bytes - c->first_free) / 4);
}

void lower_function(EmuModule *em, Program *p, Code *code)
{
    Arena *tmp = arena_new();
    Lower  lo  = {.em     = em,
                  .p      = p,
                  .code   = code,
                  .f      = code->func,
                  .cfg    = code->cfg,
                  .top    = code->first_free,
                  .fpmode = UINT32_MAX,
                  .carry  = NO_SLOT};
    p->reuses_shared |= reuses_shared(tmp, code->func, lo.cfg);
    for (size_t i = 0; i < code->func->ninstrs; i++)
        p->has_mbarriers |= code->func->instrs[i].op && op_is(&code->func->instrs[i], TRAIT_MBARRIER);
    lo.parting = ptx_partings(tmp, code->func, lo.cfg);
    lo.idle    = idle_clock_of(tmp, code->func, lo.cfg);
    lower_wgmma_begin(&lo, tmp);
    lower_contract_begin(&lo, tmp);
    lo.block_uop = ARENA_ARRAY(tmp, uint32_t, lo.cfg->nblocks + 1);
    for (uint32_t i = 0; i < lo.cfg->norder; i++)
        lower_block(&lo, i);
    lo.block_uop[lo.cfg->nblocks] = lo.nuops; /* labels behind the last instruction */
    lo_emit(&lo, lo_ctl(&lo, CTL_ret));
    code->nuops = lo.nuops;
    code->uops  = ARENA_ARRAY(p->arena, Uop, lo.nuops);
    memcpy(code->uops, lo.uops, lo.nuops * sizeof *lo.uops);
    lo_keep_consts(&lo);
    keep_unset(&lo, tmp);
    resolve_branches(&lo);
    keep_blocks(&lo, tmp);
    code->frame_bytes = lo.top;
    keep_idle(&lo, tmp);
    layout_more_lines(p, code, code->pbuf, lo.top);
    for (uint32_t i = 0; i < lo.ntemps; i++)
        layout_lines(code, lo.temps[i].slot, lo.temps[i].bytes, 1);
    if (lo.carry != NO_SLOT)
        layout_lines(code, lo.carry, 0, 1);
    free(lo.uops);
    free(lo.temps);
    free(lo.fixups);
    arena_free(tmp);
}
