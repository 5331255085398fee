/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a kernel order blocks by fences, or by acquiring or releasing accesses?  Does it use barrier.cluster?  Answered from the text of
 * all that it can reach. */
#include "check/race.h"

static bool orders(const Instr *in)
{
    const Opcode *o = in->op;
    switch (o->op) {
    case OP_membar:
    case OP_fence:
    case OP_fence_acqrel_sync: return true;
    case OP_ld:
    case OP_st:
    case OP_atom:
    case OP_atom_cas:
    case OP_atom_half:
    case OP_atom_vec:
    case OP_red:
    case OP_red_half:
    case OP_red_vec:
    case OP_multimem_ld_reduce:
    case OP_multimem_st:
    case OP_multimem_red: break;
    default: return false; /* .release of mbarriers and barrier.cluster stays in the cluster */
    }
    Word sem = (Word)o->field[FIELD_sem];
    return sem == WORD_acquire || sem == WORD_release || sem == WORD_acq_rel || sem == WORD_sc;
}

static bool waits_for_cluster(const Instr *in)
{
    return in->op->op == OP_barrier_cluster_arrive;
}

bool race_has_flags(const Module *m, const Func *kernel)
{
    return ptx_reaches(m, kernel, orders);
}

bool race_has_cluster_barrier(const Module *m, const Func *kernel)
{
    return ptx_reaches(m, kernel, waits_for_cluster);
}
