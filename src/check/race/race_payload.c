/* SPDX-License-Identifier: Apache-2.0
 *
 * Which volatile reads carry data, and which are looks at a flag.
 *
 * To the PTX manual volatile accesses never race with each other.  A read that polls a flag, or asks once whether to go on, needs no more:
 * it decides something, and the program is right whatever it sees.  A read whose value only goes into what is computed relies on having
 * come behind the write.  The two are told apart by where the value goes: from register to register, whatever the order of the
 * instructions, until it is stored in global memory, addresses memory or goes into an atomic (data), or stands in a guard, a selection or an
 * argument (a decision).  Through shared and local memory it is followed by variables: what is loaded from one in which it was stored may be it.
 * A value that does both is a decision: nothing is said that is not certain. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/origin.h"
#include "check/race/race.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

enum { MOST_VARIABLES = 8 };

typedef struct Flow {
    bool      *reg;                 /* by Reg.index: the value may be in it */
    const Var *var[MOST_VARIABLES]; /* shared and local variables that it was stored in; NULL: one that is not known */
    unsigned   nvars;
    const Origin *origin; /* by instruction: which variable it addresses */
    const Instr  *at;
    bool          reads; /* at does */
    bool          changed, decides, used;
} Flow;

static void put(void *user, const Operand *o, bool written)
{
    Flow *f = user;
    if (written && !f->reg[o->reg->index])
        f->reg[o->reg->index] = f->changed = true;
}

static void read_by(void *user, const Operand *o, bool written)
{
    Flow *f = user;
    if (written || !f->reg[o->reg->index])
        return;
    f->reads = true;
    f->decides |= op_traits(f->at->op->op).flow == FLOW_SELECT && o->reg->type == TY_PRED;
}

static bool names_memory(const Instr *in)
{
    for (unsigned i = 0; i < in->nopd; i++)
        if (in->opd[i].kind == OPD_MEM)
            return true;
    return false;
}

/* Memory that only the block or the thread sees: the value may come back from it. */
static bool keeps_near(const Instr *in, const Origin *o)
{
    Word space = (Word)in->op->field[FIELD_space];
    return space == WORD_shared || space == WORD_shared_cta || space == WORD_local ||
           (space == WORD_NONE && o->kind == ORIGIN_VAR &&
            (o->var->space == SPACE_SHARED || o->var->space == SPACE_LOCAL));
}

/* The variable; NULL: not known. */
static const Var *variable_of(const Origin *o)
{
    return o->kind == ORIGIN_VAR ? o->var : NULL;
}

static bool is_kept(const Flow *f, const Var *v)
{
    for (unsigned i = 0; i < f->nvars; i++)
        if (!v || !f->var[i] || f->var[i] == v)
            return true;
    return false;
}

static void keep(Flow *f, const Var *v)
{
    for (unsigned i = 0; i < f->nvars; i++)
        if (f->var[i] == v)
            return;
    if (f->nvars < MOST_VARIABLES)
        f->var[f->nvars++] = v;
    else
        f->decides = true;
    f->changed = true;
}

static void near_memory(Flow *f, const Instr *in, const Var *v)
{
    if (f->reads && !op_plain_load(in))
        keep(f, v);
    if (!op_plain_store(in) && (f->reads || is_kept(f, v)))
        ptx_each_register(in, put, f);
}

static void step(Flow *f, const Instr *in, const Origin *o)
{
    f->at    = in;
    f->reads = false;
    f->decides |= in->guard && f->reg[in->guard->index];
    ptx_each_register(in, read_by, f);
    if (names_memory(in) && keeps_near(in, o)) {
        near_memory(f, in, variable_of(o));
        return;
    }
    if (!f->reads)
        return;
    f->decides |= op_is(in, TRAIT_CONTROL);
    if (names_memory(in)) {
        f->used = true;
        f->decides |= (Word)in->op->field[FIELD_space] == WORD_param;
    } else {
        ptx_each_register(in, put, f);
    }
}

static bool no_pointer(void *user, uint32_t offset)
{
    (void)user, (void)offset;
    return false;
}

bool race_is_payload(const Func *func, const Instr *load)
{
    if (!opcode_has(load->op, WORD_volatile) || !op_plain_load(load))
        return false;
    Arena *a = arena_new();
    Flow   f = {.reg     = xcalloc(func->nregs + 1, sizeof *f.reg),
                .origin  = origins_of(a, func, no_pointer, NULL),
                .changed = true};
    ptx_each_register(load, put, &f);
    while (f.changed && !f.decides) {
        f.changed = false;
        for (size_t i = 0; i < func->ninstrs; i++)
            step(&f, &func->instrs[i], &f.origin[i]);
    }
    free(f.reg);
    arena_free(a);
    return f.used && !f.decides;
}
