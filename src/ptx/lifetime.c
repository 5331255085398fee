/* SPDX-License-Identifier: Apache-2.0
 *
 * One walk over the function: where each register is touched first and last, and whether it is in one block.  A second one lets the factors of products live
 * longer. */
#include "ptx/lifetime.h"

#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

typedef struct Walk {
    const Func *f;
    const Cfg  *cfg;
    Lifetime   *life;
    uint32_t    at;
} Walk;

static void touch(void *user, const Operand *o, bool written)
{
    Walk        *w  = user;
    const Instr *in = &w->f->instrs[w->at];
    const Reg   *r  = o->reg;
    Lifetime    *l  = &w->life[r->index];
    if (!l->used)
        *l = (Lifetime){.used  = true,
                        .brief = w->cfg && written && !in->guard && type_bytes(r->type) > 1 && !r->vec,
                        .first = w->at};
    l->last  = w->at;
    l->brief = l->brief && o->part < 0 && !op_is(in, TRAIT_ACCUMULATES) &&
               w->cfg->block_of[l->first] == w->cfg->block_of[w->at];
}

static void keep(const Walk *w, const Reg *r)
{
    if (r)
        w->life[r->index] = (Lifetime){.used = true};
}

/* Of a factor of a product: what is made of the product may read it. */
static void outlive(const Walk *w, const Operand *factor, const Lifetime *product)
{
    if (factor->kind != OPD_REG)
        return;
    Lifetime *l   = &w->life[factor->reg->index];
    uint32_t  end = product->brief ? product->last : w->cfg->block[w->cfg->block_of[w->at]].end - 1;
    l->last       = end > l->last ? end : l->last;
}

Lifetime *ptx_lifetimes(Arena *a, const Func *f, const Cfg *cfg)
{
    Walk w = {.f = f, .cfg = cfg, .life = ARENA_ARRAY(a, Lifetime, f->nregs + 1)};
    for (; w.at < f->ninstrs; w.at++)
        ptx_each_register(&f->instrs[w.at], touch, &w);
    for (size_t i = 0; i < f->nparams; i++)
        keep(&w, f->params[i].reg);
    for (size_t i = 0; i < f->nrets; i++)
        keep(&w, f->rets[i].reg);
    for (w.at = 0; cfg && w.at < f->ninstrs; w.at++) {
        const Instr *in = &f->instrs[w.at];
        uint32_t     is = op_traits(in->op->op).is;
        if (is & TRAIT_CONTRACTS && is & TRAIT_MULTIPLIES && in->nopd > 2 && in->opd[0].kind == OPD_REG)
            for (unsigned k = 1; k <= 2; k++)
                outlive(&w, &in->opd[k], &w.life[in->opd[0].reg->index]);
    }
    return w.life;
}
