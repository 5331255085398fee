/* SPDX-License-Identifier: Apache-2.0
 *
 * A sum that the assembler makes one with its product (ptx/contract.h): fma instead of add or sub.  The product stays where it is: nobody
 * else reads it. */
#include "emu/lower/lower_lane.h"
#include "emu/lower/lower_state.h"
#include "ptx/op.h"
#include "ptx/waits.h"

void lower_contract_begin(Lower *lo, Arena *a)
{
    lo->contraction = contractions_of(a, lo->em->ptx, lo->f, lo->cfg);
    EmuInstr *instr = &lo->p->instr[lo->code->instr_base];
    for (size_t i = 0; i < lo->f->ninstrs; i++) {
        instr[i].contracts = lo->contraction[i].may;
        if (!lo->contraction[i].product)
            continue;
        instr[i].fuses                              = EMU_FUSES_SUM;
        instr[lo->contraction[i].product - 1].fuses = EMU_FUSES_PRODUCT;
    }
    const bool *waits = waits_of(a, lo->f, lo->cfg);
    for (size_t i = 0; waits && i < lo->f->ninstrs; i++)
        lo->p->instr[lo->code->instr_base + i].waits = waits[i];
}

bool lower_contracted(Lower *lo, const Instr *in)
{
    const Contraction *c = &lo->contraction[in - lo->f->instrs];
    if (!c->product)
        return false;
    const Instr *mul  = &lo->f->instrs[c->product - 1];
    Type         t    = in->op->types[0];
    bool         half = t == TY_F16, brain = t == TY_BF16;
    Op           neg = half ? OP_hneg : brain ? OP_bneg : OP_fneg;
    Slot s[3]        = {lane_src(lo, mul, 1, t), lane_src(lo, mul, 2, t), lane_src(lo, in, c->operand == 1 ? 2 : 1, t)};
    if (c->subtracts) {
        Slot *x = &s[c->operand == 1 ? 2 : 0];
        *x      = lane_temp(lo, neg, lane_type(t), type_bytes(t), *x, 0, 0);
    }
    lane_float(lo, in, half ? OP_hfma : brain ? OP_bfma : OP_ffma, s, 3);
    return true;
}
