/* SPDX-License-Identifier: Apache-2.0
 *
 * Lowering of ldmatrix, stmatrix, movmatrix, mma and wmma: operands to slots, the opcode's shape and types to a MatrixForm.
 * Sub-byte wmma elements that a lane would have to move one by one stop when reached, as unsupported instructions do. */
#include "emu/lower/lower_state.h"
#include "emu/matrix/matrix.h"
#include "ptx/op.h"

static const Operand *element(const Operand *o, unsigned i)
{
    return o->kind == OPD_VECTOR ? &o->elem[i] : o;
}

static void emit_unsupported(Lower *lo)
{
    lo_emit(lo, lo_ctl(lo, CTL_unsupported));
}

static void sources(Lower *lo, const Operand *o, unsigned n, unsigned bytes, Slot *slot)
{
    for (unsigned i = 0; i < n; i++)
        slot[i] = lo_src(lo, element(o, i), bytes, bytes == 8);
}

static void destinations(Lower *lo, const Operand *o, unsigned n, unsigned bytes, Slot *slot)
{
    for (unsigned i = 0; i < n; i++)
        slot[i] = lo_dst(lo, element(o, i), bytes);
}

static void destinations_done(Lower *lo, const Operand *o, unsigned n, unsigned bytes, const Slot *slot)
{
    for (unsigned i = 0; i < n; i++)
        lo_dst_done(lo, element(o, i), slot[i], bytes, false);
}

/* ---- ldmatrix, stmatrix ---- */

Slot lo_shared_address(Lower *lo, const Operand *mem, MemInfo *m)
{
    bool generic = m->space == SPACE_GENERIC;
    Slot a       = lo_mem_address(lo, mem, m);
    if (!generic)
        return a;
    Slot t   = lo_temp(lo, 8);
    Uop *u   = lo_emit(lo, lo_ctl(lo, CTL_addr_add));
    u->d     = t;
    u->a     = a;
    u->imm   = -(int64_t)SHARED_WINDOW;
    u->x     = 8;
    m->space = SPACE_SHARED;
    return t;
}

static void lower_rows(Lower *lo, const Instr *in, bool load)
{
    const Operand *regs = &in->opd[load ? 0 : 1];
    unsigned       n    = opcode_has(in->op, WORD_x4) ? 4 : opcode_has(in->op, WORD_x2) ? 2 : 1;
    MemInfo       *m    = lo_mem_info(lo, in, load ? ACCESS_LDSM : ACCESS_STSM);
    m->bytes = m->reg_bytes = 16;
    Slot a                  = lo_shared_address(lo, &in->opd[load ? 1 : 0], m);
    if (load)
        destinations(lo, regs, n, 4, m->v);
    else
        sources(lo, regs, n, 4, m->v);
    m->seen = (Access){.instr = lo->instr, .op = m->op, .bytes = 16};
    Uop *u  = lo_emit(lo, lo_ctl(lo, load ? CTL_ldmatrix : CTL_stmatrix));
    u->a    = a;
    u->x    = (uint16_t)n;
    u->y    = opcode_has(in->op, WORD_trans);
    u->ptr  = m;
    if (load)
        destinations_done(lo, regs, n, 4, m->v);
}

static void lower_movmatrix(Lower *lo, const Instr *in)
{
    Slot a = lo_src(lo, &in->opd[1], 4, false), d = lo_dst(lo, &in->opd[0], 4);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_movmatrix));
    u->d = d, u->a = a;
    lo_dst_done(lo, &in->opd[0], d, 4, false);
}

/* ---- products ---- */

static void lower_mma(Lower *lo, const Instr *in)
{
    MmaInfo       *m = ARENA_NEW(lo->p->arena, MmaInfo);
    const Operand *o = in->opd;
    MatrixForm    *f = &m->form;
    (void)matrix_form(in->op, f); /* the parser has checked the form and the registers */
    unsigned bytes = f->a == TY_F64 ? 8 : 4;
    m->rule        = matrix_rule(f);
    sources(lo, &o[1], f->na, bytes, m->a);
    sources(lo, &o[2], f->nb, bytes, m->b);
    sources(lo, &o[3], f->nc, bytes, m->c);
    if (f->sparse) {
        m->metadata = lo_src(lo, &o[4], 4, false);
        m->selector = (unsigned)o[5].ival;
    }
    destinations(lo, &o[0], f->nd, bytes, m->d);
    lo_emit(lo, lo_ctl(lo, CTL_mma))->ptr = m;
    destinations_done(lo, &o[0], f->nd, bytes, m->d);
}

/* Elements of a register that stand side by side in memory are one access. */
static unsigned unit_bytes(const WmmaInfo *m)
{
    unsigned bits  = matrix_bits(m->type);
    bool     along = m->which == 'b' ? m->col : !m->col; /* A and B: along k; C and D: along a row */
    return bits >= 32 ? bits / 8 : along ? 4 : bits / 8;
}

/* How the fragment moves: matrix_wmma.c. */
static void plan_wmma(WmmaInfo *m, bool shared)
{
    bool     factor = m->which == 'a' || m->which == 'b';
    unsigned bits = matrix_bits(m->type), rows = m->which == 'b' ? m->k : m->m, cols = m->which == 'a' ? m->k : m->n;
    bool     pairs = factor
                         ? (m->which == 'b') == m->col
                         : (m->m == 8 && m->n == 32) == m->col; /* what stands side by side in registers does in memory */
    m->fast        = m->col ? rows : cols;
    m->slow        = m->col ? cols : rows;
    m->lanes       = LANES;
    m->way         = bits == 16 || pairs ? WMMA_ALONG : WMMA_ACROSS;
    m->run         = factor ? (bits < 32 ? 32 / bits : 1) : 2;
    m->mem.bytes   = (uint8_t)(m->way == WMMA_ACROSS ? bits / 8 : bits < 32 ? 4 : factor ? bits / 8 : bits / 4);
    if (shared && factor && m->way == WMMA_ALONG && (bits == 16 || bits == 8)) {
        unsigned matrices = m->slow * m->fast * bits / 1024, most = bits == 16 ? 4 : 2;
        m->way       = WMMA_ROWS;
        m->mem.bytes = 16;
        m->lanes     = 8 * (matrices < most ? matrices : most);
    }
    m->accesses = m->slow * m->fast * bits / 8 / m->mem.bytes / m->lanes;
}

static unsigned default_stride(const WmmaInfo *m)
{
    unsigned down = m->which == 'b' ? m->k : m->m, across = m->which == 'a' ? m->k : m->n;
    return m->col ? down : across;
}

static void lower_wmma_move(Lower *lo, const Instr *in, bool store)
{
    WmmaInfo      *m    = ARENA_NEW(lo->p->arena, WmmaInfo);
    const Operand *regs = &in->opd[store ? 1 : 0], *mem = &in->opd[store ? 0 : 1];
    Word           frag = (Word)in->op->field[FIELD_frag];
    m->type             = in->op->types[0];
    m->which            = store ? 'd' : frag == WORD_a ? 'a' : frag == WORD_b ? 'b' : 'c';
    m->store            = store;
    m->col              = in->op->field[FIELD_layout] == WORD_col;
    (void)matrix_shape(in->op, &m->m, &m->n, &m->k);
    m->regs = matrix_wmma_regs(m->m, m->n, m->k, m->which, m->type);
    m->unit = unit_bytes(m);
    if (m->unit == 0) {
        emit_unsupported(lo);
        return;
    }
    m->mem = *lo_mem_info(lo, in, store ? ACCESS_ST : ACCESS_LD);
    plan_wmma(m, m->mem.space == SPACE_SHARED);
    wmma_places(lo->p->arena, m);
    m->mem.op        = m->way == WMMA_ROWS ? ACCESS_LDSM : m->mem.op;
    Slot     a       = lo_mem_address(lo, mem, &m->mem);
    unsigned bytes   = m->type == TY_F64 ? 8 : 4;
    m->addr64        = m->mem.addr64;
    m->base_offset   = m->mem.offset;
    m->mem.addr64    = true;
    m->mem.offset    = 0;
    m->mem.nvec      = 1;
    m->mem.reg_bytes = m->mem.bytes;
    m->mem.seen      = (Access){.instr = lo->instr, .op = m->mem.op, .bytes = m->mem.bytes};
    Slot stride      = in->nopd > 2 ? lo_src(lo, &in->opd[2], 4, false) : lo_const(lo, default_stride(m), 4);
    Slot lanes       = lo_temp(lo, 8);
    if (store)
        sources(lo, regs, m->regs, bytes, m->mem.v);
    else
        destinations(lo, regs, m->regs, bytes, m->mem.v);
    Uop *u = lo_emit(lo, lo_ctl(lo, CTL_wmma_move));
    u->a = a, u->b = stride, u->e = lanes;
    u->ptr = m;
    if (!store)
        destinations_done(lo, regs, m->regs, bytes, m->mem.v);
}

bool lower_matrix(Lower *lo, const Instr *in)
{
    switch (in->op->op) {
    case OP_ldmatrix: lower_rows(lo, in, true); return true;
    case OP_stmatrix: lower_rows(lo, in, false); return true;
    case OP_movmatrix: lower_movmatrix(lo, in); return true;
    case OP_mma:
    case OP_mma_bit:
    case OP_mma_sp:
    case OP_wmma_mma:
    case OP_wmma_mma4:
    case OP_wmma_bit: lower_mma(lo, in); return true;
    case OP_wmma_load: lower_wmma_move(lo, in, false); return true;
    case OP_wmma_store: lower_wmma_move(lo, in, true); return true;
    default: return false;
    }
}
