/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of wgmma.  Registers that any wgmma.mma_async of the function uses are tracked: an instruction that touches one is preceded
 * by a uop that looks whether a product that has it is unfinished (wgmma.c).  Other functions pay nothing. */
#include "emu/lower/lower_state.h"
#include "emu/matrix/wgmma.h"
#include "ptx/op.h"
#include "ptx/registers.h"

static bool is_product(Op op)
{
    return op == OP_wgmma || op == OP_wgmma_bit || op == OP_wgmma_sp;
}

static const Operand *element(const Operand *o, unsigned i)
{
    return o->kind == OPD_VECTOR ? &o->elem[i] : o;
}

/* ---- tracked registers ---- */

static void track(Lower *lo, const Operand *o)
{
    for (unsigned i = 0; i < (o->kind == OPD_VECTOR ? o->count : 0u); i++) {
        const Operand *e = &o->elem[i];
        if (e->kind == OPD_REG && lo->wgmma_id[e->reg->index] == 0)
            lo->wgmma_id[e->reg->index] = ++lo->p->wgmma_regs;
    }
}

void lower_wgmma_begin(Lower *lo, Arena *a)
{
    for (size_t i = 0; i < lo->f->ninstrs; i++) {
        const Instr *in = &lo->f->instrs[i];
        if (!is_product(in->op->op))
            continue;
        if (!lo->wgmma_id)
            lo->wgmma_id = ARENA_ARRAY(a, uint32_t, lo->f->nregs + 1);
        track(lo, &in->opd[0]);
        track(lo, &in->opd[1]);
    }
}

static WgmmaReg tracked(const Lower *lo, const Operand *o, bool written)
{
    return (WgmmaReg){lo->wgmma_id[o->reg->index] - 1, written, o->reg->name};
}

typedef struct Touching {
    const Lower *lo;
    WgmmaTouch  *t; /* t->reg NULL: only counted */
} Touching;

static void touched(void *user, const Operand *o, bool written)
{
    const Touching *to = user;
    if (!to->lo->wgmma_id[o->reg->index])
        return;
    if (to->t->reg)
        to->t->reg[to->t->n] = tracked(to->lo, o, written);
    to->t->n++;
}

static void all_touched(const Lower *lo, const Instr *in, WgmmaTouch *t)
{
    t->n = 0;
    ptx_each_register(in, touched, &(Touching){lo, t});
}

void lower_wgmma_watch(Lower *lo, const Instr *in)
{
    WgmmaTouch count = {0};
    Op         op    = in->op->op;
    if (!lo->wgmma_id || is_product(op))
        return;
    if (op == OP_ret || op == OP_exit || op == OP_call)
        lo_emit(lo, lo_ctl(lo, CTL_wgmma_leave));
    all_touched(lo, in, &count);
    if (count.n == 0)
        return;
    WgmmaTouch *t = ARENA_NEW(lo->p->arena, WgmmaTouch);
    t->reg        = ARENA_ARRAY(lo->p->arena, WgmmaReg, count.n);
    all_touched(lo, in, t);
    lo_emit(lo, lo_ctl(lo, CTL_wgmma_touch))->ptr = t;
}

/* ---- the instructions ---- */

static void lower_product(Lower *lo, const Instr *in)
{
    WgmmaInfo     *m = ARENA_NEW(lo->p->arena, WgmmaInfo);
    const Operand *o = in->opd;
    (void)matrix_form(in->op, &m->form); /* the parser has checked the operands */
    unsigned scale = m->form.sparse ? 5 : 3, imm = scale + 1, n = in->nopd - imm;
    m->rule      = matrix_rule(&m->form);
    m->a_in_regs = o[1].kind == OPD_VECTOR;
    for (unsigned i = 0; i < m->form.nd; i++) {
        m->d[i]     = layout_register(lo->code, element(&o[0], i));
        m->reg_d[i] = tracked(lo, element(&o[0], i), true);
    }
    for (unsigned i = 0; m->a_in_regs && i < 4; i++) {
        m->a[i]     = layout_register(lo->code, element(&o[1], i));
        m->reg_a[i] = tracked(lo, element(&o[1], i), false);
    }
    if (!m->a_in_regs)
        m->desc_a = lo_src(lo, &o[1], 8, false);
    m->desc_b = lo_src(lo, &o[2], 8, false);
    if (m->form.sparse) {
        m->metadata = lo_src(lo, &o[3], 4, false);
        m->selector = (unsigned)o[4].ival;
    }
    m->scale_d                              = lo_src(lo, &o[scale], 0, false);
    m->negate                               = n > 1 && (o[imm].ival < 0) != (o[imm + 1].ival < 0);
    m->trans_a                              = n > 3 && o[imm + 2].ival == 1;
    m->trans_b                              = n > 2 && o[imm + n - 1].ival == 1;
    lo_emit(lo, lo_ctl(lo, CTL_wgmma))->ptr = m;
}

bool lower_wgmma(Lower *lo, const Instr *in)
{
    switch (in->op->op) {
    case OP_wgmma:
    case OP_wgmma_bit:
    case OP_wgmma_sp: lower_product(lo, in); return true;
    case OP_wgmma_fence: lo_emit(lo, lo_ctl(lo, CTL_wgmma_fence)); return true;
    case OP_wgmma_commit: lo_emit(lo, lo_ctl(lo, CTL_wgmma_commit)); return true;
    case OP_wgmma_wait: lo_emit(lo, lo_ctl(lo, CTL_wgmma_wait))->imm = in->opd[0].ival; return true;
    default: return false;
    }
}
