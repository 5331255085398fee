/* SPDX-License-Identifier: Apache-2.0
 *
 * From each load the walk goes on through what the assembler makes one basic block of: little blocks between a branch and the place where its sides meet
 * again become instructions with a guard.  The first branch that stays one decides: if all that is made of the load's result is used behind one of
 * its sides, there the load goes, with what is computed of it on the way.  To the side that is jumped to it goes only if all of its uses
 * are in the side's first block, or the other side does not stay one.
 *
 * Not modelled: loads that then move on into a branch further down, those with a guard of their own, and sides that have other ways in. */
#include "ptx/sinks.h"

#include <stdlib.h>

#include "ptx/registers.h"
#include "ptx/traits.h"
#include "ptx/uniform.h"

enum {
    LITTLE = 12,
    VALUES = 16,
    HOPS   = 64
}; /* instructions that become guarded ones; values made of one load; blocks of a walk */

typedef struct Touch {    /* a register's, of an instruction */
    uint32_t instr, next; /* index + 1 of the register's next one, 0: none */
    bool     written;
} Touch;

typedef struct Walk {
    const Func *f;
    const Cfg  *cfg;
    Touch      *touch;
    uint32_t    touches, *first, *writes,
        *reads;                    /* by register: index + 1 of its first one; how often it is written, read */
    bool     *varying;             /* uniform.h; NULL: not asked yet */
    uint32_t *seen, *stack, round; /* by block: the round in which it was looked at */
    uint32_t  at;
} Walk;

typedef struct Values { /* what is made of a load */
    const Reg *reg[VALUES];
    uint32_t   n;
    bool       fails;
} Values;

/* ---- registers ---- */

static void note(Walk *w, const Reg *r, bool written)
{
    w->touch[w->touches] = (Touch){w->at, w->first[r->index], written};
    w->first[r->index]   = ++w->touches;
    (written ? w->writes : w->reads)[r->index]++;
}

static void note_operand(void *user, const Operand *o, bool written)
{
    note(user, o->reg, written);
}

static void count_operand(void *user, const Operand *o, bool written)
{
    (void)o;
    (void)written;
    ++*(uint32_t *)user;
}

static void note_registers(Walk *w, Arena *a)
{
    const Func *f = w->f;
    uint32_t    n = 0;
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        ptx_each_register(&f->instrs[i], count_operand, &n);
        n += f->instrs[i].guard != NULL;
    }
    w->first  = ARENA_ARRAY(a, uint32_t, f->nregs + 1);
    w->writes = ARENA_ARRAY(a, uint32_t, f->nregs + 1);
    w->reads  = ARENA_ARRAY(a, uint32_t, f->nregs + 1);
    w->touch  = ARENA_ARRAY(a, Touch, n + 1);
    w->seen   = ARENA_ARRAY(a, uint32_t, w->cfg->nblocks + 1);
    w->stack  = ARENA_ARRAY(a, uint32_t, w->cfg->nblocks + 1);
    for (w->at = 0; w->at < f->ninstrs; w->at++) {
        ptx_each_register(&f->instrs[w->at], note_operand, w);
        if (f->instrs[w->at].guard)
            note(w, f->instrs[w->at].guard, false);
    }
}

static bool dominates(const Cfg *cfg, uint32_t a, uint32_t b)
{
    while (b != a && b != CFG_NONE && cfg->block[b].idom != CFG_NONE)
        b = cfg->block[b].idom;
    return b == a;
}

/* The first instruction of the block that touches the register, and whether it reads it; UINT32_MAX: none. */
static uint32_t first_touch(const Walk *w, const Reg *r, uint32_t block, bool *reads)
{
    const CfgBlock *b  = &w->cfg->block[block];
    uint32_t        at = UINT32_MAX;
    for (uint32_t t = w->first[r->index]; t; t = w->touch[t - 1].next) {
        const Touch *x = &w->touch[t - 1];
        if (x->instr < b->first || x->instr >= b->end || x->instr > at)
            continue;
        *reads = !x->written || (x->instr == at && *reads);
        at     = x->instr;
    }
    return at;
}

/* May somebody from the block's beginning on read what the register holds there? */
static bool is_alive(Walk *w, const Reg *r, uint32_t block)
{
    size_t n = 0;
    w->round++;
    w->seen[block] = w->round;
    for (w->stack[n++] = block; n;) {
        uint32_t b     = w->stack[--n];
        bool     reads = false;
        if (first_touch(w, r, b, &reads) != UINT32_MAX) {
            if (reads)
                return true;
            continue;
        }
        for (uint32_t i = 0; i < w->cfg->block[b].nsucc; i++) {
            uint32_t to = w->cfg->block[b].succ[i];
            if (w->seen[to] != w->round)
                w->stack[n++] = to;
            w->seen[to] = w->round;
        }
    }
    return false;
}

/* ---- values ---- */

static void add_value(void *user, const Operand *o, bool written)
{
    Values *v    = user;
    bool    have = !written;
    for (uint32_t i = 0; i < v->n; i++)
        have |= v->reg[i] == o->reg;
    if (have)
        return;
    v->fails |= v->n == VALUES;
    if (!v->fails)
        v->reg[v->n++] = o->reg;
}

/* The instruction that alone writes a register; NULL: there are several, or none. */
static const Instr *writer(const Walk *w, const Reg *r)
{
    if (w->writes[r->index] != 1)
        return NULL;
    for (uint32_t t = w->first[r->index]; t; t = w->touch[t - 1].next)
        if (w->touch[t - 1].written)
            return &w->f->instrs[w->touch[t - 1].instr];
    return NULL;
}

typedef struct Sources { /* what an instruction reads that is to go behind a block's beginning */
    Walk    *w;
    uint32_t block;
    bool     bad;
} Sources;

/* A source must go along, since nobody else reads it, or be needed there anyway, or be a number: its register must not be kept for this.  What is the same
 * in all lanes lies in registers of their own, and does not go along. */
static void look_at_source(void *user, const Operand *o, bool written)
{
    Sources *s = user;
    Walk    *w = s->w;
    if (written || s->bad || is_alive(w, o->reg, s->block))
        return;
    if (!w->varying)
        w->varying = uniform_varying(w->f);
    const Instr *from   = writer(w, o->reg);
    bool         number = from && op_traits(from->op->op).flow == FLOW_COPY && from->nopd == 2 &&
                  (from->opd[1].kind == OPD_INT || from->opd[1].kind == OPD_FLOAT);
    s->bad = !number && (w->reads[o->reg->index] > 1 || !w->varying[o->reg->index]);
}

/* Is it known in the block which instruction before it wrote a register? */
static bool is_settled(const Walk *w, const Reg *r, uint32_t instr)
{
    bool settled = w->writes[r->index] <= 1;
    for (uint32_t t = w->first[r->index]; t && !settled; t = w->touch[t - 1].next)
        settled = w->touch[t - 1].written && w->touch[t - 1].instr < instr &&
                  w->cfg->block_of[w->touch[t - 1].instr] == w->cfg->block_of[instr];
    return settled;
}

/* Does an instruction leave its source's bits as they are, so that machine code has none for it? */
static bool is_nothing(const Instr *in)
{
    if (op_traits(in->op->op).flow == FLOW_CONVERT)
        return in->op->ntypes == 2 && type_kind(in->op->types[0]) != 'f' && type_kind(in->op->types[1]) != 'f' &&
               !opcode_has(in->op, WORD_sat);
    bool masks = op_traits(in->op->op).flow == FLOW_AND && in->nopd == 3 && in->opd[2].kind == OPD_INT;
    return masks && (in->opd[2].ival == UINT8_MAX || in->opd[2].ival == UINT16_MAX);
}

/* Is a value used behind the block's beginning alone?  What is computed of it before is added. */
static bool used_behind(Walk *w, Values *v, const Reg *r, uint32_t block)
{
    for (uint32_t t = w->first[r->index]; t; t = w->touch[t - 1].next) {
        const Touch *x  = &w->touch[t - 1];
        const Instr *in = &w->f->instrs[x->instr];
        if (x->written || dominates(w->cfg, block, w->cfg->block_of[x->instr]))
            continue;
        Sources s = {w, block, false};
        if (!op_is(in, TRAIT_COMPUTE) || in->guard || w->writes[r->index] != 1)
            return false;
        if (!is_nothing(in))
            ptx_each_register(in, look_at_source, &s);
        if (s.bad)
            return false;
        ptx_each_register(in, add_value, v);
    }
    return !v->fails;
}

/* The same of all that is made of an instruction's results. */
static bool serves(Walk *w, uint32_t instr, uint32_t block)
{
    Values v = {0};
    ptx_each_register(&w->f->instrs[instr], add_value, &v);
    for (uint32_t i = 0; i < v.n && !v.fails; i++)
        v.fails |= !used_behind(w, &v, v.reg[i], block);
    return !v.fails;
}

/* ---- blocks ---- */

static bool is_shared(const Instr *in)
{
    return opcode_has(in->op, WORD_shared) || opcode_has(in->op, WORD_shared_cta);
}

/* May the instruction change what the load reads?  Nothing that the kernel does changes what ld.global.nc reads. */
static bool may_change(const Instr *load, const Instr *in)
{
    bool constant  = opcode_has(load->op, WORD_nc);
    bool elsewhere = constant || opcode_has(in->op, WORD_local) || op_is(in, TRAIT_TEXTURE) ||
                     (is_shared(load) ? opcode_has(in->op, WORD_global) : is_shared(in));
    return (op_is(in, TRAIT_STORE | TRAIT_ATOMIC) && !elsewhere) || (op_is(in, TRAIT_BARRIER) && !constant) ||
           op_is(in, TRAIT_FENCE | TRAIT_MBARRIER | TRAIT_ASYNC) ||
           (op_is(in, TRAIT_CONTROL) && !op_is(in, TRAIT_JUMP));
}

/* Has the machine code of a lane operation branches? */
static bool is_routine(const Instr *in)
{
    Type t = in->op->ntypes ? in->op->types[0] : TY_NONE;
    return op_traits(in->op->op).flow == FLOW_ROUTINE && (type_kind(t) == 'f' || type_bytes(t) == 8);
}

static void note_written(void *user, const Operand *o, bool written)
{
    const Reg **of = user;
    if (written && (o->reg == of[0] || o->reg == of[1]))
        of[2] = o->reg;
}

/* Do these instructions leave what a load reads, its address and its guard, and are they one stretch in machine code? */
static bool is_clear(const Walk *w, const Sink *s, uint32_t from, uint32_t end)
{
    const Instr *load  = &w->f->instrs[s->instr];
    const Reg   *of[3] = {load->opd[1].elem[0].reg, s->guard, NULL};
    for (uint32_t i = from; i < end; i++) {
        ptx_each_register(&w->f->instrs[i], note_written, of);
        if (of[2] || may_change(load, &w->f->instrs[i]) || is_routine(&w->f->instrs[i]))
            return false;
    }
    return true;
}

/* Does a block become guarded instructions? */
static bool is_little(const Walk *w, uint32_t block)
{
    const CfgBlock *b = &w->cfg->block[block];
    if (b->npred != 1 || b->nsucc != 1 || b->end - b->first > LITTLE)
        return false;
    for (uint32_t i = b->first; i < b->end; i++) {
        const Instr *in = &w->f->instrs[i];
        if (op_is(in, TRAIT_ATOMIC | TRAIT_FENCE | TRAIT_BARRIER | TRAIT_MBARRIER | TRAIT_ASYNC | TRAIT_EXCHANGE |
                          TRAIT_CALL) ||
            is_routine(in))
            return false;
    }
    return true;
}

/* Does the function end here?  Whoever jumps to it ends at once. */
static bool is_end(const Walk *w, uint32_t block)
{
    const CfgBlock *b = &w->cfg->block[block];
    return b->end - b->first == 1 && op_is(&w->f->instrs[b->first], TRAIT_END);
}

/* Where the sides of the branch at the block's end meet, if they become guarded instructions; CFG_NONE: it stays a branch. */
static uint32_t meets(const Walk *w, uint32_t block, uint32_t side[2])
{
    const CfgBlock *b = &w->cfg->block[block];
    if (b->nsucc != 2)
        return CFG_NONE;
    side[0] = b->succ[0];
    side[1] = b->succ[1];
    for (int s = 0; s < 2; s++) {
        uint32_t to = side[1 - s];
        if (is_little(w, side[s]) && w->cfg->block[side[s]].succ[0] == to && w->cfg->block[to].npred == 2 &&
            !is_end(w, to)) {
            side[1 - s] = CFG_NONE;
            return to;
        }
    }
    uint32_t to   = w->cfg->block[side[0]].nsucc == 1 ? w->cfg->block[side[0]].succ[0] : CFG_NONE;
    bool     both = to != CFG_NONE && is_little(w, side[0]) && is_little(w, side[1]) &&
                w->cfg->block[side[1]].succ[0] == to && w->cfg->block[to].npred == 2;
    return both ? to : CFG_NONE;
}

/* ---- loads ---- */

/* A plain one without a guard, by a register. */
static bool may_move(const Walk *w, uint32_t load)
{
    const Instr  *in = &w->f->instrs[load];
    const Opcode *o  = in->op;
    if (!op_plain_load(in) || in->guard || in->nopd != 2 || in->opd[1].kind != OPD_MEM ||
        in->opd[1].elem[0].kind != OPD_REG || opcode_has(o, WORD_volatile) ||
        (o->field[FIELD_sem] != WORD_NONE && o->field[FIELD_sem] != WORD_weak) ||
        (!is_shared(in) && !opcode_has(o, WORD_global)) || in->opd[1].ival != (int32_t)in->opd[1].ival)
        return false;
    Values v = {0};
    ptx_each_register(in, add_value, &v);
    for (uint32_t i = 0; i < v.n; i++)
        v.fails |= w->writes[v.reg[i]->index] != 1 || !w->reads[v.reg[i]->index];
    return !v.fails && is_settled(w, in->opd[1].elem[0].reg, load);
}

/* Does the load serve what is behind the block's beginning alone?  Of a load that has become a guarded instruction: all of its block. */
static bool may_go(Walk *w, const Sink *s)
{
    const CfgBlock *b     = &w->cfg->block[w->cfg->block_of[s->instr]];
    const Reg      *of[3] = {s->guard, s->guard, NULL};
    bool            may   = serves(w, s->instr, s->block);
    for (uint32_t i = b->first; s->guard && i < b->end; i++) {
        may &= op_is(&w->f->instrs[i], TRAIT_COMPUTE | TRAIT_JUMP) || op_plain_load(&w->f->instrs[i]);
        ptx_each_register(&w->f->instrs[i], note_written, of);
    }
    for (uint32_t i = b->first; s->guard && may && i < b->end; i++)
        may = serves(w, i, s->block);
    return may && !of[2];
}

/* Does the other side of a branch stay one too?  Not where it is the place where both meet, or is so little, all of it, that it becomes guarded
 * instructions. */
static bool is_two_sided(Walk *w, uint32_t other)
{
    const Cfg *cfg  = w->cfg;
    size_t     size = 0, n = 0;
    if (cfg->block[other].npred != 1)
        return false;
    w->seen[other] = ++w->round;
    for (w->stack[n++] = other; n && size <= LITTLE;) {
        const CfgBlock *b = &cfg->block[w->stack[--n]];
        size += b->end - b->first;
        for (uint32_t i = b->first; i < b->end && size <= LITTLE; i++)
            size += is_routine(&w->f->instrs[i]) ? LITTLE + 1 : 0;
        for (uint32_t i = 0; i < b->nsucc; i++) {
            uint32_t to = b->succ[i];
            if (w->seen[to] == w->round || !dominates(cfg, other, to))
                continue;
            w->seen[to]   = w->round;
            w->stack[n++] = to;
        }
    }
    return size > LITTLE;
}

/* Are all uses of the load's results, and of what goes along with it, in the first block of the side? */
static bool is_used_at_once(Walk *w, const Sink *s)
{
    Values v = {0};
    ptx_each_register(&w->f->instrs[s->instr], add_value, &v);
    for (uint32_t i = 0; i < v.n && !v.fails; i++) {
        v.fails |= !used_behind(w, &v, v.reg[i], s->block);
        for (uint32_t t = w->first[v.reg[i]->index]; t; t = w->touch[t - 1].next) {
            uint32_t in = w->cfg->block_of[w->touch[t - 1].instr];
            if (!w->touch[t - 1].written && in != s->block && dominates(w->cfg, s->block, in))
                return false;
        }
    }
    return true;
}

/* The branch that leads to a block, if the block becomes guarded instructions; NULL: it does not. */
static const Instr *guards(const Walk *w, uint32_t block)
{
    uint32_t from = w->cfg->block[block].npred == 1 ? w->cfg->block[block].pred[0] : CFG_NONE, side[2];
    if (from == CFG_NONE || meets(w, from, side) == CFG_NONE || (side[0] != block && side[1] != block))
        return NULL;
    const Instr *in = &w->f->instrs[w->cfg->block[from].end - 1];
    return in->guard ? in : NULL;
}

/* Where the load goes; false: it stays. */
static bool find(Walk *w, uint32_t load, Sink *out)
{
    const Cfg   *cfg   = w->cfg;
    uint32_t     block = cfg->block_of[load], loop = cfg->block[block].loop, from = load;
    const Instr *guard = guards(w, block);
    *out               = (Sink){.instr = load};
    if (guard) { /* who jumps does not come here, where the block is the one behind the branch */
        out->guard   = guard->guard;
        out->negated = (cfg->block[cfg->block[block].pred[0]].succ[0] == block) != guard->guard_neg;
    }
    for (int hop = 0; hop < HOPS; hop++, from = cfg->block[block].first) {
        const CfgBlock *b = &cfg->block[block];
        uint32_t        side[2], to;
        if (b->loop != loop || !is_clear(w, out, from, b->end))
            return false;
        if (b->nsucc == 1 && (cfg->block[b->succ[0]].npred == 1 || (hop == 0 && guard))) {
            block = b->succ[0];
            continue;
        }
        to = meets(w, block, side);
        for (int s = 0; s < 2 && to != CFG_NONE; s++)
            if (side[s] != CFG_NONE && !is_clear(w, out, cfg->block[side[s]].first, cfg->block[side[s]].end))
                return false;
        for (uint32_t s = 0; s < b->nsucc && to == CFG_NONE; s++) {
            out->block = b->succ[s];
            if (b->nsucc == 2 && cfg->block[out->block].npred == 1 && cfg->block[out->block].loop == loop &&
                out->block != block && may_go(w, out))
                return s == 0 || is_used_at_once(w, out) ||
                       !is_two_sided(w, b->succ[0]); /* the second one is jumped to */
        }
        if (to == CFG_NONE)
            return false;
        block = to;
    }
    return false;
}

const Sink *ptx_sinks(Arena *a, const Func *f, const Cfg *cfg, uint32_t *n)
{
    Walk  w    = {.f = f, .cfg = cfg};
    Sink *sink = ARENA_ARRAY(a, Sink, f->ninstrs + 1);
    *n         = 0;
    if (!f->nregs)
        return sink;
    note_registers(&w, a);
    for (uint32_t i = 0; i < f->ninstrs; i++)
        if (cfg->block[cfg->block_of[i]].reachable && may_move(&w, i) && find(&w, i, &sink[*n]))
            ++*n;
    free(w.varying);
    return sink;
}
