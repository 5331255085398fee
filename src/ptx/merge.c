/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the shared accesses that can become one wide access: plain ones of one width, 2 (in registers of 2), 4 or 8 bytes (a
 * scalar or a short vector), without guard, volatile or order, whose addresses lie in one slot of 16 or 8 bytes by one base register or by the places of
 * variables.
 *
 *   loads    three or four words of a slot of 16 bytes, both words of one of 8, both halves of 16.  Nothing stands between them that could change
 *            the base or the memory: no write to the base register, no store or atomic that can reach shared memory, no barrier, fence or call.
 *            Over branches: merge_loads.h.  Of 2 bytes: in a slot of 8, in one block
 *   stores   all words of the slot, one store behind the other: nothing but other memory's accesses and computation between them
 *
 * A load of the place that a load before it read, or that the store just before it wrote, is needless under the same conditions.
 * Of global loads that repeat one and of atomics on a variable: the operands alone decide.
 *
 * Roles are for a base that is a multiple of 16 (quads) or 8 (pairs), of 2 bytes of 8 or 4; the counting observer checks the addresses.
 * Not modelled: register pressure, which can keep the assembler from merging; loads that were moved into the
 * branch that uses them, or out of both sides of one; a store that a later one overwrites; a word of four that are loaded at once. */
#include "ptx/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "ptx/merge_loads.h"
#include "ptx/multiples.h"
#include "ptx/narrow.h"
#include "ptx/registers.h"
#include "ptx/traits.h"
#include "ptx/uniform.h"

enum { MOST = 4, ALL_WORDS = 4, WAYS_BACK = 16 }; /* accesses that one stands for; words of a slot; blocks before one */

typedef struct Run { /* what may still be joined */
    MergeAt    *at;
    const void *user;
    uint32_t   *role;
    MergeLoads *loads;
    uint8_t    *power;       /* multiples.h */
    MergeItem   store[MOST]; /* of one slot, one behind the other */
    size_t      stores;
} Run;

/* Bytes of a plain access to shared memory; 0: it is none. */
static unsigned plain_bytes(const Instr *in)
{
    const Opcode *o = in->op;
    if ((!op_plain_load(in) && !op_plain_store(in)) || in->guard || in->nopd != 2 || !o->ntypes ||
        (!opcode_has(o, WORD_shared) && !opcode_has(o, WORD_shared_cta)) ||
        (o->field[FIELD_sem] != WORD_NONE && o->field[FIELD_sem] != WORD_weak))
        return 0;
    unsigned       many = opcode_has(o, WORD_v2) ? 2 : opcode_has(o, WORD_v4) ? 4 : 1;
    const Operand *data = &in->opd[op_plain_store(in) ? 1 : 0];
    if (data->kind == OPD_REG && type_bytes(o->types[o->ntypes - 1]) == 2 && type_bytes(data->reg->type) != 2)
        return 0; /* halves that are widened stay alone */
    return o->field[FIELD_vec] == WORD_NONE || many > 1 ? many * type_bytes(o->types[o->ntypes - 1]) : 0;
}

static bool is_elsewhere(const Instr *in)
{
    return opcode_has(in->op, WORD_global) || opcode_has(in->op, WORD_local) || op_is(in, TRAIT_TEXTURE);
}

/* Opcodes after which earlier loads may not be joined with later ones. */
static bool keeps_apart(const Instr *in)
{
    return (op_is(in, TRAIT_ATOMIC | TRAIT_STORE) && !is_elsewhere(in)) ||
           op_is(in, TRAIT_FENCE | TRAIT_BARRIER | TRAIT_MBARRIER | TRAIT_ASYNC) ||
           (op_is(in, TRAIT_CONTROL) && !op_is(in, TRAIT_JUMP));
}

/* The same of stores: whoever may read what they write, or releases it. */
static bool may_read(const Instr *in)
{
    const Word sem = in->op->field[FIELD_sem];
    if (sem == WORD_release || sem == WORD_acq_rel)
        return true;
    return op_is(in, TRAIT_LOAD) && !is_elsewhere(in) && !opcode_has(in->op, WORD_param) &&
           !opcode_has(in->op, WORD_const);
}

static int by_offset(const void *pa, const void *pb)
{
    const MergeItem *a = pa, *b = pb;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

static void stores_end(Run *r)
{
    const unsigned bytes = r->store[0].bytes;
    if (r->stores && (bytes == 2 || bytes == 4 || bytes == 8)) {
        qsort(r->store, r->stores, sizeof *r->store, by_offset);
        merge_join(r->store, r->stores, ALL_WORDS, r->role);
    }
    r->stores = 0;
}

/* ---- repeated loads, atomics on a variable ---- */

static bool is_constant_load(const Instr *in)
{
    const Opcode *o = in->op;
    return op_plain_load(in) && !in->guard && in->nopd == 2 && in->opd[1].kind == OPD_MEM && opcode_has(o, WORD_nc) &&
           opcode_has(o, WORD_global) && in->opd[1].elem[0].kind == OPD_REG;
}

static bool writes(const Operand *o, const void *reg)
{
    if (o->kind == OPD_PAIR || o->kind == OPD_VECTOR || o->kind == OPD_LIST) {
        for (unsigned i = 0; i < (o->kind == OPD_PAIR ? 2u : o->count); i++)
            if (writes(&o->elem[i], reg))
                return true;
        return false;
    }
    return o->kind == OPD_REG && o->reg == reg;
}

/* Does an earlier load of the same block, from `first` on, read the same? */
static bool repeats(const Func *f, uint32_t first, uint32_t i)
{
    const Instr *in   = &f->instrs[i];
    const void  *base = in->opd[1].elem[0].reg;
    for (uint32_t k = i; k-- > first;) {
        const Instr *e = &f->instrs[k];
        if (is_constant_load(e) && !strcmp(e->op->text, in->op->text) && e->opd[1].elem[0].reg == base &&
            e->opd[1].ival == in->opd[1].ival)
            return true;
        if (e->nopd && writes(&e->opd[0], base))
            return false;
    }
    return false;
}

static unsigned mentions(const Operand *o, const void *reg)
{
    unsigned n = o->kind == OPD_REG && o->reg == reg;
    if (o->kind == OPD_PAIR || o->kind == OPD_VECTOR || o->kind == OPD_LIST || o->kind == OPD_MEM)
        for (unsigned i = 0; i < (o->kind == OPD_PAIR ? 2u : o->kind == OPD_MEM ? 1u : o->count); i++)
            n += mentions(&o->elem[i], reg);
    return n;
}

/* The result of an atomic goes nowhere else. */
static bool result_unused(const Func *f, const Instr *in)
{
    unsigned n = 0;
    if (in->opd[0].kind != OPD_REG)
        return in->opd[0].kind != OPD_VECTOR; /* red: the first operand is memory */
    for (size_t i = 0; i < f->ninstrs && n < 2; i++) {
        n += f->instrs[i].guard == in->opd[0].reg;
        for (unsigned k = 0; k < f->instrs[i].nopd; k++)
            n += mentions(&f->instrs[i].opd[k], in->opd[0].reg);
    }
    return n == 1;
}

static bool reduces(const Instr *in)
{
    static const Word kinds[] = {WORD_add, WORD_min, WORD_max, WORD_and, WORD_or, WORD_xor};
    bool              one     = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        one |= opcode_has(in->op, kinds[i]);
    return one;
}

static bool is_shared(const Opcode *o)
{
    return opcode_has(o, WORD_shared) || opcode_has(o, WORD_shared_cta);
}

/* Shared memory adds and compares integers of 4 bytes.  A generic address is looked at, and shared memory has the same loop. */
static bool is_swapped(const Instr *in)
{
    const Opcode *o = in->op;
    if (!o->ntypes || !reduces(in) || opcode_has(o, WORD_global) || opcode_has(o, WORD_shared_cluster))
        return false;
    Type t = o->types[o->ntypes - 1];
    return type_bytes(t) == 8 || !strchr("usb", type_kind(t));
}

/* Counts up without end: the bound is the largest number. */
static bool is_increment(const Instr *in)
{
    const Operand *by = &in->opd[in->nopd - 1];
    return opcode_has(in->op, WORD_inc) && by->kind == OPD_INT && (uint32_t)by->ival == UINT32_MAX;
}

/* An integer of 4 bytes in shared memory goes up by one, and nobody asks what it was. */
static bool is_counted(const Func *f, const Instr *in)
{
    const Opcode *o = in->op;
    if (!is_shared(o) || !o->ntypes || type_bytes(o->types[o->ntypes - 1]) != 4 ||
        type_kind(o->types[o->ntypes - 1]) == 'f')
        return false;
    const Operand *by  = &in->opd[in->nopd - 1];
    bool           one = opcode_has(o, WORD_add) && by->kind == OPD_INT && by->ival == 1;
    return (one || is_increment(in)) && result_unused(f, in);
}

typedef struct Passed {
    bool load, loop;
} Passed;

/* Looks back from an instruction of its basic block: 1: the block's threads come there together, 0: they do not, -1: others lead there.  self: an
 * instruction to which they came together; passed: what is met on the way. */
static int look_back(const Func *f, uint32_t first, uint32_t i, uint32_t self, Passed *passed)
{
    while (i-- > first) {
        const Instr *in = &f->instrs[i];
        if (i == self) {
            passed->loop = true;
            return 1;
        }
        if (op_is(in, TRAIT_BARRIER))
            return !op_is(in, TRAIT_CLUSTER) && !opcode_has(in->op, WORD_warp) && !opcode_has(in->op, WORD_arrive);
        passed->load |= op_plain_load(in) && opcode_has(in->op, WORD_global);
        if (!op_is(in, TRAIT_COMPUTE) && !op_is(in, TRAIT_JUMP) &&
            !(op_plain_load(in) && (opcode_has(in->op, WORD_param) || opcode_has(in->op, WORD_global))))
            return 0;
    }
    return -1;
}

/* Do the block's threads come to an instruction from a barrier or from the kernel's beginning, and compute alone on all ways, or load from global
 * memory too where no loop is on the way?  (A load parts warps by so little that they meet; in a loop it is not known.) */
static bool come_together(const Func *f, const Cfg *cfg, uint32_t i)
{
    uint32_t block[WAYS_BACK], n = 0;
    Passed   passed = {false, false};
    int      here   = look_back(f, cfg->block[cfg->block_of[i]].first, i, i, &passed);
    block[n++]      = cfg->block_of[i];
    for (uint32_t k = 0; here < 0 && k < n; k++) {
        const CfgBlock *b = &cfg->block[block[k]];
        if (block[k] == 0 && !f->entry)
            return false;
        for (uint32_t p = 0; p < b->npred; p++) {
            const CfgBlock *from = &cfg->block[b->pred[p]];
            int             way  = look_back(f, from->first, from->end, i, &passed);
            bool            seen = way > 0;
            passed.loop |= b->pred[p] >= block[k];
            for (uint32_t s = 0; s < n && !seen; s++)
                seen = block[s] == b->pred[p];
            if (way == 0 || (!seen && n == WAYS_BACK))
                return false;
            if (!seen)
                block[n++] = b->pred[p];
        }
    }
    return here != 0 && !(passed.load && passed.loop);
}

static bool same(const Operand *o, const bool *varying)
{
    return o->kind == OPD_REG ? o->reg && !varying[o->reg->index] : o->kind == OPD_INT || o->kind == OPD_VAR;
}

/* An integer atomic on one address for all lanes: does one lane make it?  Lanes that add equal numbers are counted, others are summed over the
 * lanes below where their results are used. */
static unsigned leaders(const Func *f, const Instr *in, bool **varying)
{
    const Opcode *o     = in->op;
    unsigned      bytes = o->ntypes ? type_bytes(o->types[o->ntypes - 1]) : 0, at = in->opd[0].kind == OPD_MEM ? 0 : 1;
    bool          adds = opcode_has(o, WORD_add);
    if ((bytes != 4 && bytes != 8) || type_kind(o->types[o->ntypes - 1]) == 'f' ||
        (!reduces(in) && !is_increment(in)) || (!is_shared(o) && !opcode_has(o, WORD_global)) ||
        in->opd[at].kind != OPD_MEM || at + 1 >= in->nopd)
        return 0;
    if (!*varying)
        *varying = uniform_varying(f);
    if (!same(&in->opd[at].elem[0], *varying))
        return 0;
    if (((adds || is_increment(in)) && same(&in->opd[at + 1], *varying)) ||
        (bytes == 4 && reduces(in) && result_unused(f, in)))
        return MERGE_LEADER;
    return adds && bytes == 4 ? MERGE_SCANS : 0;
}

/* What becomes of an instruction if it is an atomic. */
static unsigned atomic_role(const Func *f, const Cfg *cfg, uint32_t i, bool **varying)
{
    const Instr *in = &f->instrs[i];
    if (!op_is(in, TRAIT_ATOMIC) || in->nopd < 2)
        return 0;
    unsigned role = leaders(f, in, varying);
    if (is_counted(f, in))
        role |= MERGE_COUNTS;
    if (opcode_has(in->op, WORD_cas))
        role |= MERGE_COMPARES;
    if (is_swapped(in))
        role |= MERGE_SWAPS | (come_together(f, cfg, i) ? MERGE_AT_ONCE : 0u);
    return role;
}

/* Accesses by a register that is written here cannot be joined with later ones by it. */
static void forget(Run *r, const Operand *o)
{
    if (o->kind == OPD_PAIR || o->kind == OPD_VECTOR || o->kind == OPD_LIST) {
        for (unsigned i = 0; i < (o->kind == OPD_PAIR ? 2u : o->count); i++)
            forget(r, &o->elem[i]);
    } else if (o->kind == OPD_REG) {
        merge_loads_forget(r->loads, o->reg);
        if (r->stores && r->store[0].base == o->reg)
            stores_end(r);
    }
}

/* False: its address is no register or variable with an offset. */
static bool item_of(const Run *r, const Instr *in, uint32_t i, unsigned bytes, MergeItem *out)
{
    bool           store = op_plain_store(in);
    const Operand *m     = &in->opd[store ? 0 : 1];
    if (m->kind != OPD_MEM || (m->elem->kind != OPD_REG && m->elem->kind != OPD_VAR))
        return false;
    int64_t        offset = m->ival;
    const Operand *base   = merge_loads_base(r->loads, m->elem, &offset);
    *out       = (MergeItem){.instr = i, .bytes = bytes, .store = store, .base = base->reg, .offset = offset};
    out->power = base->kind == OPD_REG ? r->power[base->reg->index] : MULTIPLES_MOST;
    if (base->kind == OPD_VAR) {
        out->base   = NULL;
        out->offset = offset_add(offset_add(offset, base->ival), r->at(r->user, base->var));
    }
    merge_loads_narrow(r->loads, in, out);
    return true;
}

static void note(Run *r, const MergeItem *x)
{
    merge_loads_add(r->loads, x); /* a store: those behind it need not load it */
    if (!x->store)
        return;
    bool fits = !r->stores || merge_same_slot(&r->store[0], x);
    for (size_t i = 0; i < r->stores; i++)
        fits &= !merge_same_place(&r->store[i], x);
    if (!fits)
        stores_end(r);
    if (r->stores < MOST)
        r->store[r->stores++] = *x;
}

/* By register: is it a base that changes? */
static bool *changing_bases(const Func *f, const MergeLoads *l)
{
    bool *is = xcalloc(f->nregs + 1, sizeof *is);
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        const Instr   *in = &f->instrs[i];
        const Operand *m  = plain_bytes(in) ? &in->opd[op_plain_store(in) ? 0 : 1] : NULL;
        if (m && m->kind == OPD_MEM && m->elem->kind == OPD_REG && m->elem->reg->index < f->nregs)
            is[m->elem->reg->index] = merge_loads_varies(l, m->elem->reg);
    }
    return is;
}

typedef struct Writes {
    const bool *of;
    bool        any;
} Writes;

static void note_write(void *user, const Operand *o, bool written)
{
    Writes *w = user;
    w->any |= written && w->of[o->reg->index];
}

/* By block: does something in it keep loads apart, or change a base? */
static bool *opaque_blocks(const Func *f, const Cfg *cfg, const MergeLoads *l)
{
    bool *opaque = xcalloc(cfg->nblocks + 1, sizeof *opaque), *changing = changing_bases(f, l);
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        Writes w = {changing, keeps_apart(&f->instrs[i])};
        if (f->nregs)
            ptx_each_register(&f->instrs[i], note_write, &w);
        opaque[cfg->block_of[i]] |= w.any;
    }
    free(changing);
    return opaque;
}

void merge_plan(const Func *f, const Cfg *cfg, MergeAt *at, const void *user, uint32_t *role)
{
    memset(role, 0, f->ninstrs * sizeof *role);
    bool *varying = NULL;
    Run   r       = {
                .at = at, .user = user, .role = role, .loads = merge_loads_new(f, cfg), .power = ptx_multiples(f, at, user)};
    bool    *opaque = opaque_blocks(f, cfg, r.loads);
    uint32_t block  = 0;
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        const Instr *in     = &f->instrs[i];
        unsigned     bytes  = plain_bytes(in);
        bool         starts = cfg->block[cfg->block_of[i]].first == i, apart = keeps_apart(in);
        MergeItem    x;
        bool         plain = bytes && item_of(&r, in, i, bytes, &x);
        if (starts)
            merge_loads_block(r.loads, cfg->block_of[i], opaque);
        if (apart)
            merge_loads_close(r.loads);
        if (starts || apart)
            block = i;
        if (starts || may_read(in) || (apart && !plain))
            stores_end(&r);
        if (is_constant_load(in) && repeats(f, block, i))
            role[i] |= MERGE_REPEAT;
        role[i] |= atomic_role(f, cfg, i, &varying);
        if (plain)
            note(&r, &x);
        if (in->nopd && !(plain && x.store))
            forget(&r, &in->opd[0]);
    }
    merge_loads_end(r.loads, role);
    stores_end(&r);
    ptx_narrow(f, role);
    free(varying);
    free(opaque);
    free(r.power);
}
