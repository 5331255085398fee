/* SPDX-License-Identifier: Apache-2.0
 *
 * A wait that looks at the clock to sleep longer and longer goes on for ever when nobody changes what it waits for, as one without a
 * clock does.  One that gives up after a while does not.
 *
 * What a clock says is followed through registers, in whatever order.  It may be computed with, be nanosleep's operand, and decide a
 * branch: then what stands between the branch and where its ways meet again depends on the clock too, and may be nothing but such
 * computation, sleep and branches.  Anything else that depends on it (an address, a store, a call, the way out of a loop) makes
 * the clock matter. */
#include "ptx/idle_clock.h"

#include "ptx/op.h"
#include "ptx/registers.h"
#include "ptx/sregs.h"
#include "ptx/traits.h"

#include <string.h>

typedef struct Follow {
    const Func *f;
    const Cfg  *cfg;
    bool       *known;  /* by register */
    bool       *chosen; /* by block: a clock decides whether it runs */
    uint32_t   *list;   /* of blocks */
    uint32_t   *seen;   /* by block: the search that met it last */
    uint32_t    search;
    bool        reads, changed, matters;
} Follow;

static bool is_clock(const Operand *o)
{
    if (o->kind != OPD_SREG)
        return false;
    const SregInfo *s = sreg_find(o->name, strcspn(o->name, "."), NULL);
    switch (s ? s->id : SREG_tid) {
    case SREG_clock:
    case SREG_clock_hi:
    case SREG_clock64:
    case SREG_globaltimer:
    case SREG_globaltimer_lo:
    case SREG_globaltimer_hi: return true;
    default: return false;
    }
}

bool ptx_reads_clock(const Instr *in)
{
    for (unsigned i = 0; i < in->nopd; i++)
        if (is_clock(&in->opd[i]))
            return true;
    return false;
}

static void read_register(void *user, const Operand *o, bool written)
{
    Follow *w = user;
    w->reads |= !written && o->reg && w->known[o->reg->index];
}

static void write_register(void *user, const Operand *o, bool written)
{
    Follow *w = user;
    if (!written || !o->reg || w->known[o->reg->index])
        return;
    w->known[o->reg->index] = w->changed = true;
}

/* Everything from behind b to where its ways meet again. */
static void choose(Follow *w, const CfgBlock *b)
{
    uint32_t        n  = 0;
    const CfgBlock *at = b;
    w->search++;
    for (;;) {
        for (uint32_t i = 0; i < at->nsucc; i++) {
            uint32_t to = at->succ[i];
            if (to == b->ipdom || w->seen[to] == w->search)
                continue;
            w->seen[to] = w->search;
            w->changed |= !w->chosen[to];
            w->chosen[to] = true;
            w->list[n++]  = to;
        }
        if (!n)
            return;
        at = &w->cfg->block[w->list[--n]];
    }
}

/* Does the block's branch lead out of a loop? */
static bool leaves_loop(const Follow *w, const CfgBlock *b)
{
    for (uint32_t i = 0; i < b->nsucc && b->loop != CFG_NONE; i++)
        if (!cfg_lies_in(w->cfg, b->succ[i], b->loop))
            return true;
    return false;
}

static void follow(Follow *w, uint32_t block, const Instr *in)
{
    const CfgBlock *b       = &w->cfg->block[block];
    bool            decides = in->guard && w->known[in->guard->index];
    if (!in->op)
        return;
    w->reads = decides || w->chosen[block] || ptx_reads_clock(in);
    if (!w->reads)
        ptx_each_register(in, read_register, w);
    if (!w->reads)
        return;
    if (in->op->op == OP_bra) {
        w->matters |= decides && (b->ipdom == CFG_NONE || leaves_loop(w, b));
        if (decides && !w->matters)
            choose(w, b);
    } else if (op_is(in, TRAIT_COMPUTE)) {
        ptx_each_register(in, write_register, w);
    } else if (in->op->op != OP_nanosleep) {
        w->matters = true;
    }
}

const bool *idle_clock_of(Arena *a, const Func *f, const Cfg *cfg)
{
    bool any = false;
    for (size_t i = 0; i < f->ninstrs && !any; i++)
        any = f->instrs[i].op && ptx_reads_clock(&f->instrs[i]);
    if (!any)
        return NULL;
    Follow w = {.f      = f,
                .cfg    = cfg,
                .known  = ARENA_ARRAY(a, bool, f->nregs + 1),
                .chosen = ARENA_ARRAY(a, bool, cfg->nblocks + 1),
                .list   = ARENA_ARRAY(a, uint32_t, cfg->nblocks + 1),
                .seen   = ARENA_ARRAY(a, uint32_t, cfg->nblocks + 1)};
    do {
        w.changed = false;
        for (uint32_t n = 0; n < cfg->norder && !w.matters; n++) {
            const CfgBlock *b = &cfg->block[cfg->order[n]];
            for (uint32_t i = b->first; i < b->end; i++)
                follow(&w, cfg->order[n], &f->instrs[i]);
        }
    } while (w.changed && !w.matters);
    return w.matters ? NULL : w.known;
}
