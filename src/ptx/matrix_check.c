/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands of matrix instructions against their shape: as many registers as the fragments take, immediates in their range; and the
 * constant of setmaxnreg, which goes with them.  The forms of isa.def check how many operands there are and single registers' types. */
#include "ptx/matrix_form.h"
#include "ptx/op.h"

typedef struct Misfit {
    Arena      *arena;
    const char *why;
} Misfit;

static unsigned elements(const Operand *o)
{
    return o->kind == OPD_VECTOR ? o->count : 1;
}

/* A vector of n registers of that many bytes. */
static const Operand *fragment(Misfit *m, const Operand *o, unsigned n, unsigned bytes, const char *name)
{
    if (elements(o) != n) {
        m->why = arena_printf(m->arena, "%s takes %u register%s, found %u", name, n, n == 1 ? "" : "s", elements(o));
        return o;
    }
    for (unsigned i = 0; i < n; i++) {
        const Operand *e = o->kind == OPD_VECTOR ? &o->elem[i] : o;
        if (e->kind == OPD_REG && type_bytes(e->reg->type) != bytes) {
            m->why = arena_printf(m->arena, "%s takes %u-bit registers, found '%s', a .%s", name, 8 * bytes,
                                  e->reg->name, type_text(e->reg->type));
            return e;
        }
    }
    return NULL;
}

static const Operand *immediate(Misfit *m, const Operand *o, int64_t one, int64_t other, const char *name)
{
    if (o->kind == OPD_INT && (o->ival == one || o->ival == other))
        return NULL;
    m->why = arena_printf(m->arena, "%s is a constant, %d or %d", name, (int)one, (int)other);
    return o;
}

static const Operand *selector(Misfit *m, const Operand *o, const MatrixForm *f)
{
    if (o->kind == OPD_INT && o->ival >= 0 && o->ival < (int64_t)f->selectors)
        return NULL;
    m->why = f->selectors == 1
                 ? "the sparsity selector of this shape is the constant 0"
                 : arena_printf(m->arena, "the sparsity selector of this shape is a constant from 0 to %u",
                                f->selectors - 1);
    return o;
}

static const Operand *misfit_mma(Misfit *m, const Instr *in, const MatrixForm *f)
{
    static const char *const name[] = {"D", "A", "B", "C"};
    const unsigned           n[]    = {f->nd, f->na, f->nb, f->nc};
    for (unsigned i = 0; i < 4; i++) {
        const Operand *bad = fragment(m, &in->opd[i], n[i], f->a == TY_F64 ? 8 : 4, name[i]);
        if (bad)
            return bad;
    }
    return f->sparse ? selector(m, &in->opd[5], f) : NULL;
}

static const Operand *misfit_wgmma(Misfit *m, const Instr *in, const MatrixForm *f)
{
    static const char *const name[] = {"imm-scale-a", "imm-scale-b", "imm-trans-a", "imm-trans-b"};
    const Operand           *a = &in->opd[1], *bad = fragment(m, &in->opd[0], f->nd, 4, "D");
    bool                     regs = a->kind == OPD_VECTOR;
    unsigned                 head = f->sparse ? 6 : 4, want = matrix_wgmma_immediates(f, regs);
    if (bad)
        return bad;
    if (regs ? (bad = fragment(m, a, f->na, 4, "A")) != NULL : a->kind == OPD_REG && type_bytes(a->reg->type) != 8) {
        m->why = regs ? m->why : "A is a 64-bit descriptor or a vector of 4 registers";
        return regs ? bad : a;
    }
    if (in->nopd != head + want) {
        m->why = arena_printf(m->arena, "%u constant%s expected behind scale-d, found %u", want, want == 1 ? "" : "s",
                              in->nopd - head);
        return &in->opd[head - 1];
    }
    for (unsigned i = 0; i < want; i++) {
        unsigned which = regs && i == 2 ? 3 : i;
        bad            = immediate(m, &in->opd[head + i], which < 2 ? -1 : 0, 1, name[which]);
        if (bad)
            return bad;
    }
    return f->sparse ? selector(m, &in->opd[4], f) : NULL;
}

static const Operand *misfit_rows(Misfit *m, const Instr *in, bool load)
{
    unsigned n = opcode_has(in->op, WORD_x4) ? 4 : opcode_has(in->op, WORD_x2) ? 2 : 1;
    return fragment(m, &in->opd[load ? 0 : 1], n, 4, load ? "the destination" : "the source");
}

static const Operand *misfit_move(Misfit *m, const Instr *in, bool store)
{
    unsigned rows, columns, k;
    Word     frag  = (Word)in->op->field[FIELD_frag];
    char     which = store ? 'd' : frag == WORD_a ? 'a' : frag == WORD_b ? 'b' : 'c';
    Type     t     = in->op->types[0];
    unsigned n     = matrix_shape(in->op, &rows, &columns, &k) ? matrix_wmma_regs(rows, columns, k, which, t) : 0;
    if (n > 0)
        return fragment(m, &in->opd[store ? 1 : 0], n, t == TY_F64 ? 8 : 4, "the fragment");
    m->why = "there is no fragment of that shape and type";
    return &in->opd[0];
}

const Operand *matrix_misfit(Arena *a, const Instr *in, const char **why)
{
    Misfit         m = {a, NULL};
    MatrixForm     f;
    const Operand *bad = NULL;
    switch (in->op->op) {
    case OP_mma:
    case OP_mma_bit:
    case OP_mma_sp:
    case OP_wmma_mma:
    case OP_wmma_mma4:
    case OP_wmma_bit:
    case OP_wgmma:
    case OP_wgmma_bit:
    case OP_wgmma_sp:
        if (!matrix_form(in->op, &f)) {
            m.why = "there is no such combination of shape, types and layout";
            bad   = &in->opd[0];
        } else {
            bad = f.unit == MATRIX_WGMMA ? misfit_wgmma(&m, in, &f) : misfit_mma(&m, in, &f);
        }
        break;
    case OP_setmaxnreg:
        if (in->opd[0].kind != OPD_INT || in->opd[0].ival < 24 || in->opd[0].ival > 256 || in->opd[0].ival % 8) {
            m.why = "the register count is a constant, a multiple of 8 from 24 to 256";
            bad   = &in->opd[0];
        }
        break;
    case OP_ldmatrix:
    case OP_stmatrix: bad = misfit_rows(&m, in, in->op->op == OP_ldmatrix); break;
    case OP_wmma_load:
    case OP_wmma_store: bad = misfit_move(&m, in, in->op->op == OP_wmma_store); break;
    default: break;
    }
    *why = m.why;
    return bad;
}
