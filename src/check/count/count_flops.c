/* SPDX-License-Identifier: Apache-2.0
 *
 * flops.def says what an instruction makes; here pairs that the assembler fuses become one. */
#include "check/count/count_flops.h"

#include "ptx/flops.h"

/* A product that sums take is no instruction of its own; such a sum is fused. */
void count_flops(WwCounters *to, const EmuInstr *instr, uint64_t lanes)
{
    Flops f;
    if (!instr->in || instr->fuses == EMU_FUSES_PRODUCT || !flops_of(instr->in, &f))
        return;
    if (instr->fuses == EMU_FUSES_SUM)
        f = (Flops){f.kind, 0, 0, f.sums};
    if (f.kind == FLOPS_HALF) {
        to->flops_half += lanes * (f.sums + f.products + 2 * f.fused);
        return;
    }
    bool twice = f.kind == FLOPS_DOUBLE;
    *(twice ? &to->sm__sass_thread_inst_executed_op_dadd_pred_on
            : &to->sm__sass_thread_inst_executed_op_fadd_pred_on) += lanes * f.sums;
    *(twice ? &to->sm__sass_thread_inst_executed_op_dmul_pred_on
            : &to->sm__sass_thread_inst_executed_op_fmul_pred_on) += lanes * f.products;
    *(twice ? &to->sm__sass_thread_inst_executed_op_dfma_pred_on
            : &to->sm__sass_thread_inst_executed_op_ffma_pred_on) += lanes * f.fused;
}
