/* SPDX-License-Identifier: Apache-2.0
 *
 * A loop waits when it is left, or goes on, by a value that it looked at in a way that other threads may change it: by a volatile, relaxed
 * or acquiring load, an atomic cas or exch (locks), or a test of an mbarrier.  The value is followed through registers, in whatever order.
 * A loop around others, whose own blocks do not look, waits only if it stores nothing: a look-back over what blocks before have published
 * does, the loop of a block that takes the next piece of work from a counter does not.
 * Not found: loops of several functions, values that go through memory, loops that a counter ends. */
#include "ptx/waits.h"

#include <string.h>

#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

typedef struct Waits {
    const Func *f;
    const Cfg  *cfg;
    bool       *known, changed; /* known: by register, it depends on what was looked at */
    bool        reads;          /* of the instruction that is looked at now: one of its sources does */
    bool       *wait;
} Waits;

static bool looks(const Instr *in)
{
    const Opcode *o = in->op;
    if (!o)
        return false;
    if (op_is(in, TRAIT_ATOMIC) && !op_is(in, TRAIT_COMPUTE))
        return ptx_has_result(in) && (opcode_has(o, WORD_cas) || opcode_has(o, WORD_exch));
    if (op_is(in, TRAIT_MBARRIER))
        return ptx_has_result(in) && !op_is(in, TRAIT_ARRIVES);
    return op_plain_load(in) &&
           (opcode_has(o, WORD_volatile) || opcode_has(o, WORD_relaxed) || opcode_has(o, WORD_acquire));
}

/* A loop's blocks stand together in the graph's order, its head first. */
static bool inside(const Cfg *cfg, uint32_t block, uint32_t loop)
{
    uint32_t first = cfg->block[cfg->loop[loop].header].pos, pos = cfg->block[block].pos;
    return pos != CFG_NONE && pos >= first && pos - first < cfg->loop[loop].nblocks;
}

static uint32_t nth_block(const Cfg *cfg, uint32_t loop, uint32_t n)
{
    return cfg->order[cfg->block[cfg->loop[loop].header].pos + n];
}

static void read_register(void *user, const Operand *o, bool written)
{
    Waits *w = user;
    w->reads |= !written && o->reg && w->known[o->reg->index];
}

static void write_register(void *user, const Operand *o, bool written)
{
    Waits *w = user;
    if (!written || !o->reg || w->known[o->reg->index])
        return;
    w->known[o->reg->index] = w->changed = true;
}

static void follow(Waits *w, const Instr *in)
{
    w->reads = looks(in) || (in->guard && w->known[in->guard->index]);
    if (!w->reads)
        ptx_each_register(in, read_register, w);
    if (w->reads)
        ptx_each_register(in, write_register, w);
}

/* Does a branch out of the loop, or back to its head, depend on what was looked at? */
static bool decides(const Waits *w, uint32_t block, uint32_t loop)
{
    const CfgBlock *b  = &w->cfg->block[block];
    const Instr    *in = &w->f->instrs[b->end - 1];
    if (b->first == b->end || !in->guard || !w->known[in->guard->index])
        return false;
    for (uint32_t i = 0; i < b->nsucc; i++)
        if (!inside(w->cfg, b->succ[i], loop) || b->succ[i] == w->cfg->loop[loop].header)
            return true;
    return b->nsucc < 2; /* an end of the function */
}

typedef struct Found {
    bool looks, looks_itself, stores;
} Found;

static Found search(const Waits *w, uint32_t loop)
{
    Found x = {0};
    for (uint32_t n = 0; n < w->cfg->loop[loop].nblocks; n++) {
        const CfgBlock *b = &w->cfg->block[nth_block(w->cfg, loop, n)];
        for (uint32_t i = b->first; i < b->end; i++) {
            bool now = looks(&w->f->instrs[i]);
            x.looks |= now;
            x.looks_itself |= now && b->loop == loop;
            x.stores |= op_plain_store(&w->f->instrs[i]);
        }
    }
    return x;
}

static void judge(Waits *w, uint32_t loop)
{
    Found    x    = search(w, loop);
    uint32_t all  = w->cfg->loop[loop].nblocks;
    bool     ends = false;
    if (!x.looks || (!x.looks_itself && x.stores))
        return;
    memset(w->known, 0, w->f->nregs * sizeof *w->known);
    do {
        w->changed = false;
        for (uint32_t n = 0; n < all; n++) {
            const CfgBlock *b = &w->cfg->block[nth_block(w->cfg, loop, n)];
            for (uint32_t i = b->first; i < b->end; i++)
                follow(w, &w->f->instrs[i]);
        }
    } while (w->changed);
    for (uint32_t n = 0; n < all && !ends; n++)
        ends = decides(w, nth_block(w->cfg, loop, n), loop);
    for (uint32_t n = 0; n < all && ends; n++) {
        const CfgBlock *b = &w->cfg->block[nth_block(w->cfg, loop, n)];
        memset(w->wait + b->first, true, b->end - b->first);
    }
}

const bool *waits_of(Arena *a, const Func *f, const Cfg *cfg)
{
    bool any = false;
    for (size_t i = 0; i < f->ninstrs && cfg->nloops && !any; i++)
        any = looks(&f->instrs[i]);
    if (!any)
        return NULL;
    Waits w = {
        .f = f, .cfg = cfg, .known = ARENA_ARRAY(a, bool, f->nregs + 1), .wait = ARENA_ARRAY(a, bool, f->ninstrs + 1)};
    for (uint32_t l = 0; l < cfg->nloops; l++)
        judge(&w, l);
    return w.wait;
}
