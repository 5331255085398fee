/* SPDX-License-Identifier: Apache-2.0
 *
 * Every register begins as a multiple of all, and each instruction that writes it takes away what it does not bring, until nothing changes: so
 * of a loop's counter the start and the step count.  Of what is not known here (parameters, memory, lane numbers) nothing is left. */
#include "ptx/multiples.h"

#include "base/sizes.h"
#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

typedef struct Walk {
    const Func *f;
    MergeAt    *at;
    const void *user;
    uint8_t    *power; /* by register */
    bool        changed;
    unsigned    now; /* of what is written */
} Walk;

static unsigned smaller(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned of_number(uint64_t n)
{
    return n ? smaller((unsigned)__builtin_ctzll(n), MULTIPLES_MOST) : MULTIPLES_MOST;
}

static unsigned of_operand(const Walk *w, const Operand *o)
{
    switch ((OperandKind)o->kind) {
    case OPD_REG: return o->part < 0 && !o->reg->vec ? w->power[o->reg->index] : 0;
    case OPD_INT: return of_number((uint64_t)o->ival);
    case OPD_VAR:
        if (o->var->space != SPACE_SHARED)
            return 0;
        return smaller(of_number((uint64_t)o->ival), of_number(w->at(w->user, o->var)));
    default: return 0;
    }
}

static unsigned larger(unsigned a, unsigned b)
{
    return a > b ? a : b;
}

static unsigned product(const Walk *w, const Instr *in)
{
    return smaller(of_operand(w, &in->opd[1]) + of_operand(w, &in->opd[2]), MULTIPLES_MOST);
}

static unsigned shifted(unsigned a, const Operand *by)
{
    bool known = by->kind == OPD_INT && by->ival >= 0 && by->ival < MULTIPLES_MOST;
    return known ? smaller(a + (unsigned)by->ival, MULTIPLES_MOST) : by->kind == OPD_INT ? MULTIPLES_MOST : a;
}

static bool is_floating(const Opcode *o)
{
    bool any = opcode_has(o, WORD_sat);
    for (unsigned i = 0; i < o->ntypes; i++)
        any |= type_kind(o->types[i]) == 'f';
    return any;
}

/* Of what the instruction writes: sums and products by name, the others by how their bytes depend on their sources'. */
static unsigned brought(const Walk *w, const Instr *in)
{
    const Operand *o = in->opd;
    if (in->nopd < 2 || o[0].kind != OPD_REG || o[0].part >= 0 || is_floating(in->op) || !op_is(in, TRAIT_COMPUTE))
        return 0;
    unsigned a = of_operand(w, &o[1]), b = in->nopd > 2 ? of_operand(w, &o[2]) : a;
    switch (in->op->op) {
    case OP_add:
    case OP_sub:
    case OP_min:
    case OP_max: return smaller(a, b);
    case OP_mul_lo:
    case OP_mul_wide: return product(w, in);
    case OP_mad_lo:
    case OP_mad_wide: return smaller(product(w, in), of_operand(w, &o[3]));
    default: break;
    }
    switch ((ByteFlow)op_traits(in->op->op).flow) {
    case FLOW_COPY:
    case FLOW_CONVERT: return a;
    case FLOW_BITWISE:
    case FLOW_OR:
    case FLOW_SELECT: return smaller(a, b);
    case FLOW_AND: return larger(a, b);
    case FLOW_UP: return shifted(a, &o[2]);
    default: return 0;
    }
}

static void write(void *user, const Operand *o, bool written)
{
    Walk *w = user;
    if (!written || w->power[o->reg->index] <= w->now)
        return;
    w->power[o->reg->index] = (uint8_t)w->now;
    w->changed              = true;
}

uint8_t *ptx_multiples(const Func *f, MergeAt *at, const void *user)
{
    Walk w = {.f = f, .at = at, .user = user, .power = xcalloc(f->nregs + 1, 1)};
    for (size_t i = 0; i < f->nregs; i++)
        w.power[i] = MULTIPLES_MOST;
    for (size_t i = 0; i < f->nparams; i++)
        if (f->params[i].reg)
            w.power[f->params[i].reg->index] = 0;
    do {
        w.changed = false;
        for (size_t i = 0; i < f->ninstrs; i++) {
            w.now = brought(&w, &f->instrs[i]);
            ptx_each_register(&f->instrs[i], write, &w);
        }
    } while (w.changed);
    return w.power;
}
