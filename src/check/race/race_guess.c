/* SPDX-License-Identifier: Apache-2.0
 *
 * Which plain reads are guesses for a compare-and-swap, as in the atomicAdd on doubles that the programming guide writes down: the value is what
 * the swap of the same place is first tried with, so a stale one costs another round.  Told by the registers: moves lead from the
 * load to the compared operand, and both addresses are one register or variable and one distance.
 * Not seen: what else the value decides before the swap. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/sizes.h"
#include "check/race/race.h"
#include "ptx/traits.h"

/* An address as far as one register's only definition leads back. */
typedef struct Address {
    const void *base; /* Reg or Var */
    int64_t     offset;
} Address;

static const Instr *only_definition(const Func *func, const Reg *r)
{
    const Instr *found = NULL;
    for (size_t i = 0; i < func->ninstrs; i++) {
        const Instr *in = &func->instrs[i];
        if (!in->nopd || in->opd[0].kind != OPD_REG || in->opd[0].reg != r)
            continue;
        if (found || in->guard)
            return NULL;
        found = in;
    }
    return found;
}

enum { MOST_STEPS = 8 };

static Address address_of(const Func *func, const Operand *mem)
{
    Operand at     = mem->elem[0];
    int64_t offset = mem->ival;
    for (int n = 0; n < MOST_STEPS && at.kind == OPD_REG; n++) {
        const Instr *in = only_definition(func, at.reg);
        OpTraits     t  = op_traits(in ? in->op->op : 0);
        if (t.flow == FLOW_CARRY && !(t.is & TRAIT_SUBTRACTS) && in->opd[1].kind == OPD_REG &&
            in->opd[2].kind == OPD_INT)
            offset = offset_add(offset, in->opd[2].ival);
        else if (t.flow != FLOW_COPY || (in->opd[1].kind != OPD_REG && in->opd[1].kind != OPD_VAR))
            break;
        at = in->opd[1];
    }
    if (at.kind == OPD_VAR)
        return (Address){at.var, offset_add(offset, at.ival)};
    return (Address){at.kind == OPD_REG ? at.reg : NULL, offset};
}

/* Adds the sources of moves into registers that the value may come from. */
static bool go_back(const Func *func, bool *from)
{
    bool changed = false;
    for (size_t i = 0; i < func->ninstrs; i++) {
        const Instr *in = &func->instrs[i];
        if (op_traits(in->op->op).flow != FLOW_COPY || in->nopd < 2 || in->opd[0].kind != OPD_REG ||
            in->opd[1].kind != OPD_REG || !from[in->opd[0].reg->index] || from[in->opd[1].reg->index])
            continue;
        from[in->opd[1].reg->index] = changed = true;
    }
    return changed;
}

static void guesses_of(const LaunchInfo *info, const Func *func, const Instr *swap, bool *guess)
{
    bool   *from                  = xcalloc(func->nregs + 1, sizeof *from);
    Address there                 = address_of(func, &swap->opd[1]);
    from[swap->opd[2].reg->index] = true;
    while (go_back(func, from))
        ;
    for (uint32_t i = 0; i < info->instrs && there.base; i++) {
        const Instr *in = info->instr[i].func == func ? info->instr[i].in : NULL;
        if (!in || !op_plain_load(in) || in->opd[0].kind != OPD_REG || !from[in->opd[0].reg->index])
            continue;
        Address here = address_of(func, &in->opd[1]);
        guess[i] |= here.base == there.base && here.offset == there.offset;
    }
    free(from);
}

void race_find_guesses(const LaunchInfo *info, bool *guess)
{
    for (uint32_t i = 0; i < info->instrs; i++) {
        const Instr *in = info->instr[i].in;
        if (in && in->op && op_is(in, TRAIT_ATOMIC) && opcode_has(in->op, WORD_cas) && in->opd[2].kind == OPD_REG)
            guesses_of(info, info->instr[i].func, in, guess);
    }
}
