/* SPDX-License-Identifier: Apache-2.0
 *
 * The fixed point of origin.h: registers start without origin and only ever gain one, then lose it to ORIGIN_MANY. */
#include "check/origin.h"

#include "ptx/traits.h"

typedef struct Walk {
    const Func *f;
    Origin     *reg; /* by Reg.index */
    bool        changed;
    bool (*is_pointer)(void *user, uint32_t offset);
    void *user;
} Walk;

static const Origin none = {0}, many = {.kind = ORIGIN_MANY};

static bool same(Origin a, Origin b)
{
    return a.kind == b.kind && a.var == b.var && a.offset == b.offset;
}

static Origin join(Origin a, Origin b)
{
    if (a.kind == ORIGIN_NONE)
        return b;
    return b.kind == ORIGIN_NONE || same(a, b) ? a : many;
}

/* A value made of others in a way that is not an address any more. */
static Origin spoiled(Origin a)
{
    return a.kind == ORIGIN_NONE ? none : many;
}

static Origin of_operand(const Walk *w, const Operand *o)
{
    switch (o->kind) {
    case OPD_REG: return o->reg->type == TY_PRED ? none : w->reg[o->reg->index];
    case OPD_VAR: return o->var->space == SPACE_PARAM ? none : (Origin){ORIGIN_VAR, o->var, 0};
    default: return none;
    }
}

static void assign(Walk *w, const Operand *d, Origin o)
{
    if (d->kind == OPD_VECTOR || d->kind == OPD_PAIR) {
        for (unsigned i = 0; i < d->count; i++)
            assign(w, &d->elem[i], o);
        return;
    }
    if (d->kind != OPD_REG || d->reg->type == TY_PRED)
        return;
    Origin *r = &w->reg[d->reg->index], now = join(*r, o);
    w->changed |= !same(*r, now);
    *r = now;
}

/* What comes from memory or a function may be an address of anything if it is wide enough; else it is a number. */
static void assign_foreign(Walk *w, const Operand *d)
{
    if (d->kind == OPD_VECTOR || d->kind == OPD_PAIR)
        for (unsigned i = 0; i < d->count; i++)
            assign_foreign(w, &d->elem[i]);
    else if (d->kind == OPD_REG && d->reg->type != TY_PRED && type_bytes(d->reg->type) == 8)
        assign(w, d, many);
}

/* ---- parameters ---- */

/* Where v lies in the parameter block; the size of the block for NULL. */
static uint64_t param_offset(const Func *f, const Var *v)
{
    uint64_t at = 0;
    for (size_t i = 0; i < f->nparams; i++) {
        uint64_t align = f->params[i].align ? f->params[i].align : 1;
        at             = (at + align - 1) & -align;
        if (&f->params[i] == v)
            return at;
        at += f->params[i].bytes;
    }
    return v ? UINT64_MAX : at;
}

/* A load that leaves the block, before its start or behind its end, reads nothing that could be asked for a pointer. */
static void load_param(Walk *w, const Instr *in)
{
    const Operand *mem = &in->opd[1], *base = &mem->elem[0], *d = &in->opd[0];
    const Opcode  *op = in->op;
    uint32_t bytes = op->ntypes ? type_bytes(op->types[op->ntypes - 1]) : 0, n = d->kind == OPD_VECTOR ? d->count : 1;
    bool     known = base->kind == OPD_VAR && w->f->entry;
    uint64_t at = known ? param_offset(w->f, base->var) : UINT64_MAX, size = known ? param_offset(w->f, NULL) : 0;
    for (uint32_t i = 0; i < n; i++) {
        const Operand *e = d->kind == OPD_VECTOR ? &d->elem[i] : d;
        uint64_t       k = at + (uint64_t)base->ival + (uint64_t)mem->ival + i * bytes;
        if (at == UINT64_MAX || k > size || bytes > size - k)
            assign_foreign(w, e);
        else
            assign(w, e,
                   bytes == 8 && w->is_pointer(w->user, (uint32_t)k) ? (Origin){ORIGIN_PARAM, base->var, (uint32_t)k}
                                                                     : none);
    }
}

/* ---- instructions ---- */

static Origin result_of(const Walk *w, const Instr *in)
{
    uint32_t is  = op_traits(in->op->op).is;
    Origin   all = none;
    for (unsigned i = 1; i < in->nopd; i++) {
        Origin o = of_operand(w, &in->opd[i]);
        if ((is & TRAIT_SUBTRACTS && i > 1) || (is & TRAIT_MULTIPLIES && i < 3))
            o = spoiled(o);
        all = join(all, o);
    }
    return is & TRAIT_ADDRESS ? all : spoiled(all);
}

static const Operand *memory_operand(const Instr *in)
{
    for (unsigned i = 0; i < in->nopd; i++)
        if (in->opd[i].kind == OPD_MEM)
            return &in->opd[i];
    return NULL;
}

static void step(Walk *w, const Instr *in)
{
    if (in->nopd == 0)
        return;
    const Operand *mem = memory_operand(in);
    if (mem && op_plain_load(in) && (Word)in->op->field[FIELD_space] == WORD_param)
        load_param(w, in);
    else if (mem || op_is(in, TRAIT_LOAD | TRAIT_CALL))
        assign_foreign(w, &in->opd[0]);
    else
        assign(w, &in->opd[0], result_of(w, in));
}

const Origin *origins_of(Arena *a, const Func *f, bool (*is_pointer)(void *user, uint32_t offset), void *user)
{
    Walk    w   = {.f = f, .reg = ARENA_ARRAY(a, Origin, f->nregs + 1), .is_pointer = is_pointer, .user = user};
    Origin *out = ARENA_ARRAY(a, Origin, f->ninstrs + 1);
    do {
        w.changed = false;
        for (size_t i = 0; i < f->ninstrs; i++)
            step(&w, &f->instrs[i]);
    } while (w.changed);
    for (size_t i = 0; i < f->ninstrs; i++) {
        const Operand *mem = memory_operand(&f->instrs[i]);
        if (mem)
            out[i] = of_operand(&w, &mem->elem[0]);
    }
    return out;
}
