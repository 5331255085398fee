/* SPDX-License-Identifier: Apache-2.0
 *
 * The fixed point of contract.h: every product that could be taken starts as one that is, and stops when a use of it does not take it.  Not
 * followed: products through mov and neg, packed halves, blocks that only follow each other; such sums are left as they stand and marked
 * (may). */
#include "ptx/contract.h"

#include <string.h>

#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

typedef struct Written {   /* of a register */
    uint32_t count, instr; /* the last one */
} Written;

typedef struct Walk {
    const Func  *f;
    const Cfg   *cfg;
    Written     *def;     /* by Reg.index */
    uint32_t    *uses;    /* by Reg.index: how many read it */
    uint8_t     *product; /* by Reg.index: 1: an unrounded product may be in it; 2: and every use so far takes it */
    uint32_t    *taken;   /* by Reg.index: uses that take it in this round */
    uint32_t     at;      /* the instruction that is counted */
    Contraction *out;
} Walk;

static bool is_product(Op op)
{
    uint32_t is = op_traits(op).is;
    return is & TRAIT_CONTRACTS && is & TRAIT_MULTIPLIES;
}

static bool is_difference(Op op)
{
    uint32_t is = op_traits(op).is;
    return is & TRAIT_CONTRACTS && is & TRAIT_SUBTRACTS;
}

static bool is_sum(Op op)
{
    uint32_t is = op_traits(op).is;
    return is & TRAIT_CONTRACTS && !(is & TRAIT_MULTIPLIES);
}

static bool unrounded(const Opcode *o)
{
    static const Word words[] = {WORD_rn, WORD_rz, WORD_rm, WORD_rp};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (opcode_has(o, words[i]))
            return false;
    return true;
}

static void count(void *user, const Operand *o, bool written)
{
    Walk *w = user;
    if (written)
        w->def[o->reg->index] = (Written){w->def[o->reg->index].count + 1, w->at};
    else
        w->uses[o->reg->index]++;
}

static void count_all(Walk *w)
{
    for (w->at = 0; w->at < w->f->ninstrs; w->at++)
        ptx_each_register(&w->f->instrs[w->at], count, w);
}

/* Registers that hold unrounded products, through copies and signs too. */
static void find_products(Walk *w)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < w->f->ninstrs; i++) {
            const Instr *in = &w->f->instrs[i];
            Op           op = in->op->op;
            if (in->nopd < 2 || in->opd[0].kind != OPD_REG || w->product[in->opd[0].reg->index])
                continue;
            bool mul  = is_product(op) && unrounded(in->op) && !opcode_has(in->op, WORD_sat);
            bool same = (op == OP_mov || op == OP_fneg || op == OP_fneg_f64) && in->opd[1].kind == OPD_REG &&
                        w->product[in->opd[1].reg->index];
            if (!mul && !same)
                continue;
            w->product[in->opd[0].reg->index] = mul && !in->guard && w->def[in->opd[0].reg->index].count == 1 ? 2 : 1;
            changed                           = true;
        }
    }
}

/* Has an operand of the product changed on the way to the sum? */
static bool changes(const Walk *w, uint32_t mul, uint32_t sum)
{
    for (unsigned k = 1; k <= 2; k++) {
        const Operand *o = &w->f->instrs[mul].opd[k];
        if (o->kind != OPD_REG || w->def[o->reg->index].count < 2)
            continue;
        for (uint32_t i = mul + 1; i < sum; i++) {
            const Operand *d = &w->f->instrs[i].opd[0];
            if (w->f->instrs[i].nopd && (d->kind != OPD_REG || d->reg == o->reg))
                return true;
        }
    }
    return false;
}

/* May the sum take its k-th operand's product? */
static bool fits(const Walk *w, uint32_t i, unsigned k)
{
    const Instr   *in = &w->f->instrs[i];
    const Operand *o  = &in->opd[k];
    if (o->kind != OPD_REG || o->neg || o->part >= 0 || w->product[o->reg->index] != 2)
        return false;
    uint32_t     at  = w->def[o->reg->index].instr;
    const Instr *mul = &w->f->instrs[at];
    return at < i && w->cfg->block_of[at] == w->cfg->block_of[i] && mul->op->types[0] == in->op->types[0] &&
           opcode_has(mul->op, WORD_ftz) == opcode_has(in->op, WORD_ftz) &&
           type_bytes(o->reg->type) == type_bytes(in->op->types[0]) && in->op->types[0] != TY_F16X2 &&
           in->op->types[0] != TY_BF16X2 && !changes(w, at, i);
}

static bool holds_product(const Walk *w, const Operand *o)
{
    return o->kind == OPD_REG && w->product[o->reg->index];
}

/* One round; true if a product was given up. */
static bool choose(Walk *w)
{
    memset(w->taken, 0, (w->f->nregs + 1) * sizeof *w->taken);
    for (uint32_t i = 0; i < w->f->ninstrs; i++) {
        const Instr *in = &w->f->instrs[i];
        if (!is_sum(in->op->op) || !unrounded(in->op))
            continue;
        unsigned k = fits(w, i, 1) ? 1 : fits(w, i, 2) ? 2 : 0;
        w->out[i]  = (Contraction){.product   = k ? w->def[in->opd[k].reg->index].instr + 1 : 0,
                                   .operand   = (uint8_t)k,
                                   .subtracts = is_difference(in->op->op),
                                   .may       = holds_product(w, &in->opd[1]) || holds_product(w, &in->opd[2])};
        if (k)
            w->taken[in->opd[k].reg->index]++;
    }
    bool changed = false;
    for (size_t r = 0; r < w->f->nregs; r++)
        if (w->product[r] == 2 && w->taken[r] != w->uses[r]) {
            w->product[r] = 1;
            changed       = true;
        }
    return changed;
}

const Contraction *contractions_of(Arena *a, const Module *m, const Func *f, const Cfg *cfg)
{
    Walk w = {.f       = f,
              .cfg     = cfg,
              .def     = ARENA_ARRAY(a, Written, f->nregs + 1),
              .uses    = ARENA_ARRAY(a, uint32_t, f->nregs + 1),
              .product = ARENA_ARRAY(a, uint8_t, f->nregs + 1),
              .taken   = ARENA_ARRAY(a, uint32_t, f->nregs + 1),
              .out     = ARENA_ARRAY(a, Contraction, f->ninstrs + 1)};
    if (strstr(m->target_options, "debug"))
        return w.out;
    count_all(&w);
    find_products(&w);
    while (choose(&w))
        ;
    return w.out;
}
