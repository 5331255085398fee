/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds, in each basic block, the scalar 4-byte shared loads that can become one wide load: same base, adjacent offsets, and
 * nothing between them that could change the base or the memory: no write to the base register, no store or atomic that can reach
 * shared memory, no barrier, fence or call.  Volatile and ordered loads and guarded ones stay alone.
 *
 * Of the loads that repeat one and of atomics on a variable: the operands alone decide.
 *
 * Roles are for a base that is a multiple of 16 (quads) or 8 (pairs); the counting observer checks the addresses.
 * Not modelled: register pressure, which can keep the assembler from merging, and merging of 8-byte loads. */
#include "ptx/merge.h"

#include <stdlib.h>
#include <string.h>

#include "base/sizes.h"
#include "ptx/traits.h"
#include "ptx/uniform.h"

typedef struct Load {
    uint32_t    instr;
    const void *base; /* Reg or Var */
    int64_t     offset;
} Load;

typedef struct Run { /* loads since the last thing that keeps loads apart */
    Load  *load;
    size_t n;
} Run;

static bool is_scalar_load(const Instr *in)
{
    const Opcode *o = in->op;
    return op_plain_load(in) && !in->guard && in->nopd == 2 && in->opd[0].kind == OPD_REG &&
           in->opd[1].kind == OPD_MEM && o->ntypes > 0 && type_bytes(o->types[o->ntypes - 1]) == 4 &&
           (opcode_has(o, WORD_shared) || opcode_has(o, WORD_shared_cta)) &&
           (o->field[FIELD_sem] == WORD_NONE || o->field[FIELD_sem] == WORD_weak) && o->field[FIELD_vec] == WORD_NONE;
}

/* Opcodes after which earlier loads may not be joined with later ones. */
static bool keeps_apart(const Instr *in)
{
    bool elsewhere = opcode_has(in->op, WORD_global) || opcode_has(in->op, WORD_local) || op_is(in, TRAIT_TEXTURE);
    return op_is(in, TRAIT_ATOMIC | TRAIT_FENCE | TRAIT_BARRIER | TRAIT_MBARRIER | TRAIT_ASYNC | TRAIT_CONTROL |
                         TRAIT_EXCHANGE) ||
           (op_is(in, TRAIT_STORE) && !elsewhere);
}

static int by_place(const void *pa, const void *pb)
{
    const Load *a = pa, *b = pb;
    if (a->base != b->base)
        return (uintptr_t)a->base < (uintptr_t)b->base ? -1 : 1;
    if (a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return a->instr < b->instr ? -1 : 1;
}

/* Joins `count` loads of consecutive words from load[i] on, if they are there and the first is aligned. */
static void join(const Run *r, size_t i, unsigned count, uint8_t *role, unsigned member, unsigned lead)
{
    const Load *l = &r->load[i];
    if (l->offset % (4 * (int64_t)count) != 0 || i + count > r->n)
        return;
    for (unsigned k = 1; k < count; k++)
        if (l[k].base != l->base || l[k].offset != offset_add(l->offset, 4 * (int64_t)k))
            return;
    for (unsigned k = 0; k < count; k++)
        role[l[k].instr] |= (uint8_t)(k == 0 ? member | lead : member);
}

/* Closes a run.  A second load of the same word stays alone. */
static void run_end(Run *r, uint8_t *role)
{
    qsort(r->load, r->n, sizeof *r->load, by_place);
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++)
        if (n == 0 || r->load[n - 1].base != r->load[i].base || r->load[n - 1].offset != r->load[i].offset)
            r->load[n++] = r->load[i];
    r->n = n;
    for (size_t i = 0; i < n; i++) {
        role[r->load[i].instr] |= (uint8_t)((r->load[i].offset & 15) << 4);
        join(r, i, 4, role, MERGE_QUAD, MERGE_QUAD1);
        join(r, i, 2, role, MERGE_PAIR, MERGE_PAIR1);
    }
    r->n = 0;
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

/* Loads from a register that is written here cannot be joined with later ones from it. */
static void forget(Run *r, const Operand *o, uint8_t *role)
{
    if (o->kind == OPD_PAIR || o->kind == OPD_VECTOR || o->kind == OPD_LIST) {
        for (unsigned i = 0; i < (o->kind == OPD_PAIR ? 2u : o->count); i++)
            forget(r, &o->elem[i], role);
    } else if (o->kind == OPD_REG) {
        for (size_t i = 0; i < r->n; i++)
            if (r->load[i].base == o->reg) {
                run_end(r, role);
                return;
            }
    }
}

static void note_load(Run *r, uint32_t i, const Instr *in)
{
    const Operand *m = &in->opd[1], *base = m->elem;
    if (base->kind == OPD_REG)
        r->load[r->n++] = (Load){i, base->reg, m->ival};
    else if (base->kind == OPD_VAR)
        r->load[r->n++] = (Load){i, base->var, offset_add(m->ival, base->ival)};
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

void merge_plan(const Func *f, uint8_t *role)
{
    memset(role, 0, f->ninstrs);
    bool    *starts  = block_starts(f);
    bool    *varying = NULL;
    Run      r       = {xcalloc(f->ninstrs + 1, sizeof *r.load), 0};
    uint32_t block   = 0;
    for (uint32_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        if (starts[i] || keeps_apart(in)) {
            run_end(&r, role);
            block = i;
        }
        if (is_constant_load(in) && repeats(f, block, i))
            role[i] |= MERGE_REPEAT;
        if (is_leaders(f, in, &varying))
            role[i] |= MERGE_LEADER;
        if (is_scalar_load(in))
            note_load(&r, i, in);
        if (in->nopd)
            forget(&r, &in->opd[0], role);
    }
    run_end(&r, role);
    free(varying);
    free(r.load);
    free(starts);
}
