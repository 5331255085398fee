/* SPDX-License-Identifier: Apache-2.0
 *
 * Liveness of registers at a function's beginning.
 *
 * A block exposes a register that it reads before it writes it, and kills one that it writes whole and unguarded.  Only exposed registers,
 * mostly a few, get a bit; sets go round the blocks, last ones first, until nothing is added.  A parameter in a register is written by the
 * call, a result in a register is read at each end.  Not known: conditions, so a register that is only read where it was written under
 * the same guard counts as unset. */
#include "ptx/unset.h"

#include <string.h>

#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

enum { NO_BIT = 0 };
static const uint64_t MOST_WORDS = UINT64_C(1) << 22; /* of a function's sets: beyond, every exposed register counts */

/* ---- one block ---- */

typedef struct Unset {
    const Func  *f;
    const Cfg   *cfg;
    uint32_t    *killed; /* by register: 1 + the last block that killed it */
    uint32_t    *bit;    /* by register: 1 + its place in the sets, NO_BIT: no block exposes it */
    uint32_t     nbits, words;
    uint64_t    *in, *kill; /* words a block; NULL while bits are still given out */
    uint32_t     block;
    const Instr *at;
} Unset;

static void read_register(Unset *u, const Reg *r)
{
    if (u->killed[r->index] == u->block + 1)
        return;
    if (!u->bit[r->index])
        u->bit[r->index] = ++u->nbits;
    uint32_t i = u->bit[r->index] - 1;
    if (u->in)
        u->in[(size_t)u->block * u->words + i / 64] |= UINT64_C(1) << i % 64;
}

static void write_register(Unset *u, const Reg *r)
{
    uint32_t i          = u->bit[r->index];
    u->killed[r->index] = u->block + 1;
    if (u->kill && i--)
        u->kill[(size_t)u->block * u->words + i / 64] |= UINT64_C(1) << i % 64;
}

static void touch(void *user, const Operand *o, bool written)
{
    Unset *u = user;
    if (!written || op_is(u->at, TRAIT_ACCUMULATES))
        read_register(u, o->reg);
    else if (!u->at->guard && o->part < 0)
        write_register(u, o->reg);
}

static void read_results(Unset *u)
{
    for (size_t i = 0; i < u->f->nrets; i++)
        if (u->f->rets[i].reg)
            read_register(u, u->f->rets[i].reg);
}

static void look_at(Unset *u, uint32_t block)
{
    const CfgBlock *b = &u->cfg->block[block];
    u->block          = block;
    for (uint32_t i = b->first; i < b->end; i++) {
        u->at = &u->f->instrs[i];
        if (u->at->guard)
            read_register(u, u->at->guard);
        ptx_each_register(u->at, touch, u);
        if (u->at->op->op == OP_ret)
            read_results(u);
    }
    if (!b->nsucc)
        read_results(u); /* the function may end without ret */
}

static void look_at_all(Unset *u)
{
    memset(u->killed, 0, u->f->nregs * sizeof *u->killed);
    u->block = 0;
    for (size_t i = 0; i < u->f->nparams; i++)
        if (u->f->params[i].reg)
            write_register(u, u->f->params[i].reg);
    for (uint32_t i = 0; i < u->cfg->norder; i++)
        look_at(u, u->cfg->order[i]);
}

/* ---- all blocks ---- */

static bool take_in(Unset *u, uint32_t block)
{
    const CfgBlock *b    = &u->cfg->block[block];
    uint64_t       *in   = u->in + (size_t)block * u->words;
    const uint64_t *kill = u->kill + (size_t)block * u->words;
    bool            more = false;
    for (uint32_t s = 0; s < b->nsucc; s++) {
        const uint64_t *from = u->in + (size_t)b->succ[s] * u->words;
        for (uint32_t w = 0; w < u->words; w++) {
            uint64_t add = from[w] & ~kill[w] & ~in[w];
            in[w] |= add;
            more |= add != 0;
        }
    }
    return more;
}

static void spread(Unset *u)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = u->cfg->norder; i-- > 0;)
            more |= take_in(u, u->cfg->order[i]);
    }
}

static bool is_unset(const Unset *u, uint32_t reg)
{
    uint32_t i = u->bit[reg];
    return i && (!u->in || u->in[(i - 1) / 64] >> (i - 1) % 64 & 1); /* in the set of block 0 */
}

uint32_t *ptx_unset(Arena *a, const Func *f, const Cfg *cfg, uint32_t *n)
{
    uint32_t *list = ARENA_ARRAY(a, uint32_t, f->nregs + 1);
    Arena    *tmp  = arena_new();
    Unset     u    = {.f      = f,
                      .cfg    = cfg,
                      .killed = ARENA_ARRAY(tmp, uint32_t, f->nregs + 1),
                      .bit    = ARENA_ARRAY(tmp, uint32_t, f->nregs + 1)};
    look_at_all(&u);
    u.words = (u.nbits + 63) / 64;
    if (u.nbits && (uint64_t)u.words * cfg->nblocks <= MOST_WORDS) {
        u.in   = ARENA_ARRAY(tmp, uint64_t, (size_t)u.words * cfg->nblocks);
        u.kill = ARENA_ARRAY(tmp, uint64_t, (size_t)u.words * cfg->nblocks);
        look_at_all(&u);
        spread(&u);
    }
    *n = 0;
    for (uint32_t i = 0; i < f->nregs; i++)
        if (is_unset(&u, i))
            list[(*n)++] = i;
    arena_free(tmp);
    return list;
}
