/* SPDX-License-Identifier: Apache-2.0
 *
 * A window is a stretch of the function in which no load is kept apart from another.  It goes on into a block from the one that dominates it, where
 * all blocks on the ways between are of the same loop and keep nothing apart: the assembler makes short branches guards and lifts loads over
 * branches, so that a load joins an earlier one of its slot in a block that dominates its own.
 *
 * A joined access is made where the first of its loads is; it stands for all, also for those of branches that are not taken. */
#include "ptx/merge_loads.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "ptx/merge.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

enum {
    QUAD_POWER  = 4, /* of words; of halves one less, as all is half as wide */
    PAIR_POWER  = 3,
    HOPS        = 8,
    WORDS       = 4,
    HALF        = 2, /* bytes */
    MOST_BLOCKS = 64 /* between two that are joined: what looking for more would take */
};

typedef struct Written { /* of a register */
    uint32_t times, instr, reads;
} Written;

struct MergeLoads {
    const Func *f;
    Arena      *arena;
    const Cfg  *cfg;
    Written    *def; /* by Reg.index */
    MergeItem  *item;
    size_t      items;
    uint32_t    window, windows; /* the one that is open; how many there were */
    uint32_t   *last;            /* by block: its last window */
    uint32_t    block;
    uint32_t   *seen, round; /* by block: the round in which it was looked at */
    uint32_t   *stack;
};

static void note_written(void *user, const Operand *o, bool written)
{
    MergeLoads *l = user;
    if (o->reg->index >= l->f->nregs)
        return;
    if (written)
        l->def[o->reg->index].times++;
    else
        l->def[o->reg->index].reads++;
}

MergeLoads *merge_loads_new(const Func *f, const Cfg *cfg)
{
    Arena      *a = arena_new();
    MergeLoads *l = ARENA_NEW(a, MergeLoads);
    l->f          = f;
    l->arena      = a;
    l->cfg        = cfg;
    l->def        = ARENA_ARRAY(a, Written, f->nregs + 1);
    l->item       = ARENA_ARRAY(a, MergeItem, f->ninstrs + 1);
    l->last       = ARENA_ARRAY(a, uint32_t, l->cfg->nblocks + 1);
    l->seen       = ARENA_ARRAY(a, uint32_t, l->cfg->nblocks + 1);
    l->stack      = ARENA_ARRAY(a, uint32_t, l->cfg->nblocks + 1);
    for (uint32_t i = 0; i < f->ninstrs && f->nregs; i++) {
        const Instr *in = &f->instrs[i];
        ptx_each_register(in, note_written, l);
        if (in->nopd && in->opd[0].kind == OPD_REG && in->opd[0].reg->index < f->nregs)
            l->def[in->opd[0].reg->index].instr = i;
    }
    return l;
}

static bool written_once(const MergeLoads *l, const Reg *r)
{
    return r->index < l->f->nregs && l->def[r->index].times == 1;
}

/* ---- windows ---- */

static bool dominates(const Cfg *cfg, uint32_t a, uint32_t b)
{
    while (b != a && b != CFG_NONE && cfg->block[b].idom != CFG_NONE)
        b = cfg->block[b].idom;
    return b == a;
}

/* Does nothing keep loads apart on any way from the end of `from`, which dominates it, to the block's beginning? */
static bool is_clear(MergeLoads *l, uint32_t from, uint32_t block, const bool *opaque)
{
    const Cfg *cfg = l->cfg;
    size_t     n = 0, seen = 0;
    l->round++;
    for (l->stack[n++] = block; n;) {
        const CfgBlock *b = &cfg->block[l->stack[--n]];
        for (uint32_t i = 0; i < b->npred; i++) {
            uint32_t p = b->pred[i];
            if (p == from || l->seen[p] == l->round)
                continue;
            if (opaque[p] || cfg->block[p].loop != cfg->block[from].loop || ++seen > MOST_BLOCKS)
                return false;
            l->seen[p]    = l->round;
            l->stack[n++] = p;
        }
    }
    return true;
}

void merge_loads_block(MergeLoads *l, uint32_t block, const bool *opaque)
{
    const CfgBlock *b    = &l->cfg->block[block];
    uint32_t        from = b->reachable ? b->idom : CFG_NONE;
    bool            on   = from != CFG_NONE && from < block && b->loop == l->cfg->block[from].loop;
    l->block             = block;
    l->window            = on && is_clear(l, from, block, opaque) ? l->last[from] : l->windows++;
    l->last[block]       = l->window;
}

void merge_loads_close(MergeLoads *l)
{
    l->window         = l->windows++;
    l->last[l->block] = l->window;
}

void merge_loads_add(MergeLoads *l, const MergeItem *x)
{
    MergeItem *to = &l->item[l->items++];
    *to           = *x;
    to->block     = l->block;
    to->window    = l->window;
}

void merge_loads_forget(MergeLoads *l, const Reg *written)
{
    if (written_once(l, written)) /* before any access by it */
        return;
    for (size_t i = 0; i < l->items; i++)
        if (l->item[i].window == l->window && l->item[i].base == written) {
            merge_loads_close(l);
            return;
        }
}

bool merge_loads_varies(const MergeLoads *l, const Reg *r)
{
    return !written_once(l, r);
}

/* ---- bases ---- */

const Operand *merge_loads_base(const MergeLoads *l, const Operand *base, int64_t *offset)
{
    for (int hop = 0; hop < HOPS && base->kind == OPD_REG && written_once(l, base->reg); hop++) {
        const Instr *in = &l->f->instrs[l->def[base->reg->index].instr];
        if (in->guard || in->nopd < 2 || in->opd[0].kind != OPD_REG || in->opd[0].reg != base->reg)
            break;
        const Operand *from  = &in->opd[1];
        bool           moved = in->nopd == 2 && op_traits(in->op->op).flow == FLOW_COPY;
        bool           added = in->nopd == 3 && in->op->ntypes == 1 && type_bytes(in->op->types[0]) == 4 &&
                     op_traits(in->op->op).flow == FLOW_CARRY && op_is(in, TRAIT_COMPUTE) &&
                     !op_is(in, TRAIT_SUBTRACTS) && in->opd[2].kind == OPD_INT && !strncmp(in->op->text, "add.", 4);
        if ((!moved && !added) || (from->kind == OPD_REG ? !written_once(l, from->reg) : from->kind != OPD_VAR) ||
            op_is(in, TRAIT_LOAD) || from->part >= 0)
            break;
        *offset = offset_add(*offset, (int64_t)(int32_t)(added ? in->opd[2].ival : 0));
        base    = from;
    }
    return base;
}

void merge_loads_narrow(const MergeLoads *l, const Instr *in, MergeItem *x)
{
    const Operand *to    = &in->opd[0];
    unsigned       words = 0;
    if (x->store || x->bytes != MERGE_SLOT || to->kind != OPD_VECTOR || to->count != WORDS ||
        x->offset & (MERGE_SLOT - 1))
        return;
    for (unsigned i = 0; i < WORDS; i++)
        if (to->elem[i].kind == OPD_REG && to->elem[i].reg->index < l->f->nregs && l->def[to->elem[i].reg->index].reads)
            words |= 1u << i;
    if (words && __builtin_popcount(words) <= 2) {
        x->words = (uint8_t)words;
        x->bytes = 4;
    }
}

/* ---- joining ---- */

bool merge_same_place(const MergeItem *a, const MergeItem *b)
{
    return a->base == b->base && a->bytes == b->bytes && a->offset == b->offset && a->words == b->words;
}

/* What an access may be joined to: 16 bytes of words, 8 of halves. */
static int64_t slot(const MergeItem *x)
{
    return x->bytes == HALF ? MERGE_SLOT / 2 : MERGE_SLOT;
}

bool merge_same_slot(const MergeItem *a, const MergeItem *b)
{
    return a->base == b->base && a->bytes == b->bytes && (a->offset & -slot(a)) == (b->offset & -slot(b));
}

/* By window and slot, in the order of the function. */
static int by_slot(const void *pa, const void *pb)
{
    const MergeItem *a = pa, *b = pb;
    if (a->window != b->window)
        return a->window < b->window ? -1 : 1;
    if (a->base != b->base)
        return (uintptr_t)a->base < (uintptr_t)b->base ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if ((a->offset & -slot(a)) != (b->offset & -slot(b)))
        return a->offset < b->offset ? -1 : 1;
    return a->instr < b->instr ? -1 : a->instr > b->instr;
}

/* Bit by word of the slot, or by half of that of halves. */
static unsigned words_of(const MergeItem *x)
{
    int64_t unit = slot(x) / WORDS;
    if (x->words)
        return x->words;
    return ((1u << x->bytes / unit) - 1) << ((x->offset & (slot(x) - 1)) / unit) & 15;
}

/* Which of those that touch one of the words stands for all: of the first one's block the lowest. */
static const MergeItem *stands(const MergeItem *l, size_t n, unsigned words)
{
    const MergeItem *best = NULL;
    for (size_t i = 0; i < n; i++)
        if (words_of(&l[i]) & words)
            best = !best || (l[i].block == best->block && l[i].offset < best->offset) ? &l[i] : best;
    return best;
}

void merge_join(const MergeItem *l, size_t n, unsigned least, uint32_t *role)
{
    unsigned words = 0, less = n && l[0].bytes == HALF;
    for (size_t i = 0; i < n; i++)
        words |= words_of(&l[i]);
    bool quad = n > 1 && l[0].power + less >= QUAD_POWER && (unsigned)__builtin_popcount(words) >= least;
    if (quad)
        role[stands(l, n, 15)->instr] |= MERGE_QUAD1;
    for (unsigned half = 3; half < 16 && n && l[0].power + less >= PAIR_POWER; half <<= 2) {
        const MergeItem *first = (words & half) == half ? stands(l, n, half) : NULL;
        unsigned         in    = 0;
        for (size_t i = 0; i < n; i++)
            in += !l[i].words && words_of(&l[i]) & half;
        for (size_t i = 0; first && !first->words && in > 1 && i < n; i++)
            if (!l[i].words && words_of(&l[i]) & half)
                role[l[i].instr] |= MERGE_PAIR | (&l[i] == first ? MERGE_PAIR1 : 0u);
    }
    for (size_t i = 0; i < n; i++) {
        role[l[i].instr] |= quad ? MERGE_QUAD : 0u;
        if (role[l[i].instr] & (MERGE_QUAD | MERGE_PAIR))
            role[l[i].instr] |= (uint32_t)((l[i].offset & (slot(&l[i]) - 1)) << 4);
    }
}

/* May the later one be joined with the earlier one, which is in its window?  Halves are not over branches. */
static bool may_follow(const MergeLoads *l, const MergeItem *first, const MergeItem *x)
{
    return x->block == first->block || (!first->store && x->bytes != HALF && dominates(l->cfg, first->block, x->block));
}

/* Accesses of one slot and window.  Those that follow the first one go; *n is what is left. */
static void slot_end(const MergeLoads *l, MergeItem *x, size_t *n, uint32_t *role)
{
    MergeItem *kept = xcalloc(*n, sizeof *kept), *left = xcalloc(*n, sizeof *left);
    size_t     nkept = 0, nleft = 0;
    for (size_t i = 0; i < *n; i++) {
        bool again = false, words = x[i].bytes == HALF || x[i].bytes == 4 || x[i].bytes == 8;
        if (i && !may_follow(l, &x[0], &x[i])) {
            left[nleft++] = x[i];
            continue;
        }
        for (size_t k = 0; k < i && !again; k++)
            again = merge_same_place(&x[k], &x[i]) && may_follow(l, &x[k], &x[i]);
        if (again)
            role[x[i].instr] |= MERGE_REPEAT;
        else if (!x[i].store && words)
            kept[nkept++] = x[i];
    }
    merge_join(kept, nkept, 3, role);
    memcpy(x, left, nleft * sizeof *x);
    *n = nleft;
    free(kept);
    free(left);
}

void merge_loads_end(MergeLoads *l, uint32_t *role)
{
    qsort(l->item, l->items, sizeof *l->item, by_slot);
    for (size_t i = 0, k; i < l->items; i = k) {
        for (k = i + 1;
             k < l->items && l->item[k].window == l->item[i].window && merge_same_slot(&l->item[i], &l->item[k]);)
            k++;
        for (size_t n = k - i; n;)
            slot_end(l, &l->item[i], &n, role);
    }
    arena_free(l->arena);
}
