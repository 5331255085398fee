/* SPDX-License-Identifier: Apache-2.0
 *
 * Which volatile reads carry data, and which are looks at a flag.
 *
 * To the PTX manual volatile accesses never race with each other.  A read that polls a flag, or asks once whether to go on, needs no more:
 * it decides something, and the program is right whatever it sees.  A read whose value only goes into what is computed relies on having
 * come behind the write.  The two are told apart by where the value goes: from register to register, whatever the order of the
 * instructions, until it is stored, addresses memory or goes into an atomic (data), or stands in a guard, a selection, an argument, or
 * memory from which it may come back into one (a decision).  A value that does both is a decision: nothing is said that is not certain. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/race/race.h"
#include "ptx/registers.h"
#include "ptx/traits.h"

typedef struct Flow {
    bool        *reg; /* by Reg.index: the value may be in it */
    const Instr *at;
    bool         reads; /* at does */
    bool         changed, decides, used;
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
static bool keeps_near(const Instr *in)
{
    Word space = (Word)in->op->field[FIELD_space];
    return space == WORD_shared || space == WORD_shared_cta || space == WORD_local || space == WORD_param;
}

static void step(Flow *f, const Instr *in)
{
    f->at    = in;
    f->reads = false;
    f->decides |= in->guard && f->reg[in->guard->index];
    ptx_each_register(in, read_by, f);
    if (!f->reads)
        return;
    f->decides |= op_is(in, TRAIT_CONTROL);
    if (names_memory(in)) {
        f->used = true;
        f->decides |= keeps_near(in);
    } else {
        ptx_each_register(in, put, f);
    }
}

bool race_is_payload(const Func *func, const Instr *load)
{
    if (!opcode_has(load->op, WORD_volatile) || !op_plain_load(load))
        return false;
    Flow f = {.reg = xcalloc(func->nregs + 1, sizeof *f.reg), .changed = true};
    ptx_each_register(load, put, &f);
    while (f.changed && !f.decides) {
        f.changed = false;
        for (size_t i = 0; i < func->ninstrs; i++)
            step(&f, &func->instrs[i]);
    }
    free(f.reg);
    return f.used && !f.decides;
}
