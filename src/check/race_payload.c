/* SPDX-License-Identifier: Apache-2.0
 *
 * Which volatile reads carry data, and which are looks at a flag.
 *
 * To the PTX manual volatile accesses never race with each other.  A read that polls a flag, or asks once whether to go on, needs no more: it decides
 * something, and the program is right whatever it sees.  A read whose value only goes into what is computed relies on having come behind the
 * write.  The two are told apart by where the value goes: from register to register, whatever the order of the instructions, until it is stored,
 * addresses memory or goes into an atomic (data), or stands in a guard, a selection, an argument, or memory from which it may come back into
 * one (a decision).  A value that does both is a decision: nothing is said that is not certain. */
#include <stdlib.h>

#include "base/arena.h"
#include "check/race.h"

typedef struct Flow {
    bool *reg; /* by Reg.index: the value may be in it */
    bool  changed, decides, used;
} Flow;

static bool holds(const Flow *f, const Operand *o)
{
    switch (o->kind) {
    case OPD_REG: return f->reg[o->reg->index];
    case OPD_MEM: return holds(f, &o->elem[0]);
    case OPD_PAIR:
    case OPD_VECTOR:
    case OPD_LIST:
        for (unsigned i = 0; i < o->count; i++)
            if (holds(f, &o->elem[i]))
                return true;
        return false;
    default: return false;
    }
}

static void put(Flow *f, const Operand *o)
{
    if (o->kind == OPD_PAIR || o->kind == OPD_VECTOR)
        for (unsigned i = 0; i < o->count; i++)
            put(f, &o->elem[i]);
    else if (o->kind == OPD_REG && !f->reg[o->reg->index])
        f->reg[o->reg->index] = f->changed = true;
}

static bool is_predicate(const Operand *o)
{
    return o->kind == OPD_REG && o->reg->type == TY_PRED;
}

/* Memory that only the block or the thread sees: the value may come back from it. */
static bool keeps_near(const Instr *in)
{
    Word space = (Word)in->op->field[FIELD_space];
    return space == WORD_shared || space == WORD_shared_cta || space == WORD_local || space == WORD_param;
}

static void step(Flow *f, const Instr *in)
{
    bool memory = false, reads = false,
         result =
             in->nopd && (in->opd[0].kind == OPD_REG || in->opd[0].kind == OPD_VECTOR || in->opd[0].kind == OPD_PAIR);
    f->decides |= in->guard && f->reg[in->guard->index];
    for (unsigned i = result && in->op->op != OP_brx_idx; i < in->nopd; i++) {
        memory |= in->opd[i].kind == OPD_MEM;
        if (!holds(f, &in->opd[i]))
            continue;
        reads = true;
        f->decides |=
            in->op->op == OP_brx_idx || in->op->op == OP_call || (in->op->op == OP_selp && is_predicate(&in->opd[i]));
    }
    if (!reads)
        return;
    if (memory) {
        f->used = true;
        f->decides |= keeps_near(in);
    } else if (result) {
        put(f, &in->opd[0]);
    }
}

bool race_is_payload(const Func *func, const Instr *load)
{
    if (!opcode_has(load->op, WORD_volatile) || load->op->op != OP_ld)
        return false;
    Flow f = {.reg = xcalloc(func->nregs + 1, sizeof *f.reg), .changed = true};
    put(&f, &load->opd[0]);
    while (f.changed && !f.decides) {
        f.changed = false;
        for (size_t i = 0; i < func->ninstrs; i++)
            step(&f, &func->instrs[i]);
    }
    free(f.reg);
    return f.used && !f.decides;
}
