/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds, in each basic block, the shared accesses that can become one wide access: plain ones of one width, 4 or 8 bytes (a scalar or a short
 * vector), without guard, volatile or order, whose addresses lie in one slot of 16 or 8 bytes by one base register or by the places of variables.
 *
 *   loads    three or four words of a slot of 16 bytes, both words of one of 8, both halves of 16.  Nothing stands between them that could change
 *            the base or the memory: no write to the base register, no store or atomic that can reach shared memory, no barrier, fence or call
 *   stores   all words of the slot, one store behind the other: nothing but other memory's accesses and computation between them
 *
 * A load of the place that a load before it read, or that the store just before it wrote, is needless under the same conditions.
 * Of global loads that repeat one and of atomics on a variable: the operands alone decide.
 *
 * Roles are for a base that is a multiple of 16 (quads) or 8 (pairs); the counting observer checks the addresses.
 * Not modelled: register pressure, which can keep the assembler from merging; words and halves of less than 4 bytes; accesses that were moved
 * from one basic block to another first; a store that a later one overwrites. */
#include "ptx/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "ptx/traits.h"
#include "ptx/uniform.h"

enum { SLOT = 16, MOST = 4 }; /* bytes that one access serves; accesses that it stands for */

typedef struct Item { /* an access */
    uint32_t    instr;
    unsigned    bytes;
    bool        store;
    const void *base; /* Reg; NULL: the block's shared memory */
    int64_t     offset;
} Item;

typedef struct Run { /* what may still be joined */
    MergeAt    *at;
    const void *user;
    uint16_t   *role;
    Item       *load; /* since the last thing that keeps loads apart; the store that they follow, too */
    size_t      loads;
    Item        store[MOST]; /* of one slot, one behind the other */
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
    unsigned many = opcode_has(o, WORD_v2) ? 2 : opcode_has(o, WORD_v4) ? 4 : 1;
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
           op_is(in, TRAIT_FENCE | TRAIT_BARRIER | TRAIT_MBARRIER | TRAIT_ASYNC | TRAIT_CONTROL);
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

static int by_place(const void *pa, const void *pb)
{
    const Item *a = pa, *b = pb;
    if (a->base != b->base)
        return (uintptr_t)a->base < (uintptr_t)b->base ? -1 : 1;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->instr < b->instr ? -1 : a->instr > b->instr;
}

static bool same_slot(const Item *a, const Item *b)
{
    return a->base == b->base && a->bytes == b->bytes && (a->offset & -SLOT) == (b->offset & -SLOT);
}

static bool same_place(const Item *a, const Item *b)
{
    return a->base == b->base && a->bytes == b->bytes && a->offset == b->offset;
}

/* Joins n accesses of one slot, by offset, as far as they fill it. */
static void join(const Run *r, const Item *l, size_t n)
{
    if (l->bytes != 4 && l->bytes != 8)
        return;
    unsigned whole = SLOT / l->bytes, enough = l->bytes == 4 && !l->store ? whole - 1 : whole;
    if (n >= enough) {
        r->role[l->instr] |= MERGE_QUAD1;
        for (size_t i = 0; i < n; i++)
            r->role[l[i].instr] |= MERGE_QUAD;
    }
    for (size_t i = 0; l->bytes == 4 && i + 1 < n; i++)
        if (!(l[i].offset & 7) && l[i + 1].offset == l[i].offset + 4) {
            r->role[l[i].instr] |= MERGE_PAIR | MERGE_PAIR1;
            r->role[l[i + 1].instr] |= MERGE_PAIR;
        }
    for (size_t i = 0; i < n; i++)
        if (r->role[l[i].instr])
            r->role[l[i].instr] |= (uint16_t)((l[i].offset & 15) << 4);
}

static void loads_end(Run *r)
{
    size_t n = 0;
    qsort(r->load, r->loads, sizeof *r->load, by_place);
    for (size_t i = 0; i < r->loads; i++) /* the first of each place stays */
        if (n && same_place(&r->load[n - 1], &r->load[i]))
            r->role[r->load[i].instr] |= MERGE_REPEAT;
        else
            r->load[n++] = r->load[i];
    r->loads = n;
    n        = 0;
    for (size_t i = 0; i < r->loads; i++)
        if (!r->load[i].store)
            r->load[n++] = r->load[i];
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i + 1; k < n && same_slot(&r->load[i], &r->load[k]);)
            k++;
        join(r, &r->load[i], k - i);
    }
    r->loads = 0;
}

static void stores_end(Run *r)
{
    if (r->stores) {
        qsort(r->store, r->stores, sizeof *r->store, by_place);
        join(r, r->store, r->stores);
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

/* An address that is the same in all lanes because nothing but a variable's name was ever moved to it. */
static bool is_variable(const Func *f, const Operand *base)
{
    bool any = false;
    if (base->kind != OPD_REG)
        return base->kind == OPD_VAR;
    for (size_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        if (!in->nopd || !writes(&in->opd[0], base->reg))
            continue;
        if (op_traits(in->op->op).flow != FLOW_COPY || in->nopd != 2 || in->opd[1].kind != OPD_VAR)
            return false;
        any = true;
    }
    return any;
}

static bool reduces(const Instr *in)
{
    static const Word kinds[] = {WORD_add, WORD_min, WORD_max, WORD_and, WORD_or, WORD_xor};
    bool              one     = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        one |= opcode_has(in->op, kinds[i]);
    return one;
}

/* Shared memory adds and compares integers of 4 bytes. */
static bool is_swapped(const Instr *in)
{
    const Opcode *o = in->op;
    if (!op_is(in, TRAIT_ATOMIC) || !o->ntypes || !reduces(in) ||
        (!opcode_has(o, WORD_shared) && !opcode_has(o, WORD_shared_cta)))
        return false;
    Type t = o->types[o->ntypes - 1];
    return type_bytes(t) == 8 || !strchr("usb", type_kind(t));
}

static bool same(const Operand *o, const bool *varying)
{
    return o->kind == OPD_REG ? o->reg && !varying[o->reg->index] : o->kind == OPD_INT || o->kind == OPD_VAR;
}

/* An integer atomic on one address for all lanes.  On global memory a sum of equal values is one too when it is 8 bytes wide or its result
 * is used: lanes are counted, not added up. */
static bool is_leaders(const Func *f, const Instr *in, bool **varying)
{
    const Opcode *o     = in->op;
    unsigned      bytes = o && o->ntypes ? type_bytes(o->types[o->ntypes - 1]) : 0, at;
    if (!op_is(in, TRAIT_ATOMIC) || in->nopd < 2 || (bytes != 4 && bytes != 8) ||
        type_kind(o->types[o->ntypes - 1]) == 'f' || !reduces(in))
        return false;
    at = in->opd[0].kind == OPD_MEM ? 0 : 1;
    if (in->opd[at].kind != OPD_MEM || at + 1 >= in->nopd)
        return false;
    if (opcode_has(o, WORD_shared) || opcode_has(o, WORD_shared_cta))
        return bytes == 4 && is_variable(f, &in->opd[at].elem[0]) && result_unused(f, in);
    if (!opcode_has(o, WORD_global))
        return false;
    if (!*varying)
        *varying = uniform_varying(f);
    if (!same(&in->opd[at].elem[0], *varying))
        return false;
    bool equal = opcode_has(o, WORD_add) && same(&in->opd[at + 1], *varying);
    return equal || (bytes == 4 && result_unused(f, in));
}

/* Accesses by a register that is written here cannot be joined with later ones by it. */
static void forget(Run *r, const Operand *o)
{
    if (o->kind == OPD_PAIR || o->kind == OPD_VECTOR || o->kind == OPD_LIST) {
        for (unsigned i = 0; i < (o->kind == OPD_PAIR ? 2u : o->count); i++)
            forget(r, &o->elem[i]);
    } else if (o->kind == OPD_REG) {
        bool of_loads = false;
        for (size_t i = 0; i < r->loads; i++)
            of_loads |= r->load[i].base == o->reg;
        if (of_loads)
            loads_end(r);
        if (r->stores && r->store[0].base == o->reg)
            stores_end(r);
    }
}

/* False: its address is no register or variable with an offset. */
static bool item_of(const Run *r, const Instr *in, uint32_t i, unsigned bytes, Item *out)
{
    bool           store = op_plain_store(in);
    const Operand *m = &in->opd[store ? 0 : 1], *base = m->elem;
    if (m->kind != OPD_MEM || (base->kind != OPD_REG && base->kind != OPD_VAR))
        return false;
    *out = (Item){.instr = i, .bytes = bytes, .store = store, .base = base->reg, .offset = m->ival};
    if (base->kind == OPD_VAR) {
        out->base   = NULL;
        out->offset = offset_add(offset_add(m->ival, base->ival), r->at(r->user, base->var));
    }
    return true;
}

static void note(Run *r, const Item *x)
{
    r->load[r->loads++] = *x; /* a store: those behind it need not load it */
    if (!x->store)
        return;
    bool fits = !r->stores || same_slot(&r->store[0], x);
    for (size_t i = 0; i < r->stores; i++)
        fits &= !same_place(&r->store[i], x);
    if (!fits)
        stores_end(r);
    if (r->stores < MOST)
        r->store[r->stores++] = *x;
}

/* Instructions that a branch names begin a block. */
static bool *block_starts(const Func *f)
{
    bool *starts = xcalloc(f->ninstrs + 1, sizeof *starts);
    for (size_t i = 0; i < f->ninstrs; i++)
        for (unsigned k = 0; k < f->instrs[i].nopd; k++)
            if (f->instrs[i].opd[k].kind == OPD_LABEL && f->instrs[i].opd[k].label < f->nlabels)
                starts[f->labels[f->instrs[i].opd[k].label].target] = true;
    for (size_t i = 0; i < f->nlabels; i++)
        for (size_t k = 0; f->labels[i].targets && k < f->labels[i].ntargets; k++)
            starts[f->labels[f->labels[i].targets[k]].target] = true;
    return starts;
}

void merge_plan(const Func *f, MergeAt *at, const void *user, uint16_t *role)
{
    memset(role, 0, f->ninstrs * sizeof *role);
    bool    *starts  = block_starts(f);
    bool    *varying = NULL;
    Run      r       = {.at = at, .user = user, .role = role, .load = xcalloc(f->ninstrs + 1, sizeof *r.load)};
    uint32_t block   = 0;
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        const Instr *in    = &f->instrs[i];
        unsigned     bytes = plain_bytes(in);
        Item         x;
        bool         plain = bytes && item_of(&r, in, i, bytes, &x);
        if (starts[i] || keeps_apart(in)) {
            loads_end(&r);
            block = i;
        }
        if (starts[i] || may_read(in) || (keeps_apart(in) && !plain))
            stores_end(&r);
        if (is_constant_load(in) && repeats(f, block, i))
            role[i] |= MERGE_REPEAT;
        if (is_leaders(f, in, &varying))
            role[i] |= MERGE_LEADER;
        if (is_swapped(in))
            role[i] |= MERGE_SWAPS;
        if (plain)
            note(&r, &x);
        if (in->nopd && !(plain && x.store))
            forget(&r, &in->opd[0]);
    }
    loads_end(&r);
    stores_end(&r);
    free(varying);
    free(r.load);
    free(starts);
}
