/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a kernel order blocks by fences, or by acquiring or releasing accesses?  Does it use barrier.cluster?  Answered from the text of
 * all that it can reach. */
#include "check/race/race.h"
#include "ptx/traits.h"

static bool orders(const Instr *in)
{
    const Opcode *o   = in->op;
    Word          sem = (Word)o->field[FIELD_sem];
    if (!op_is(in, TRAIT_LANEWISE)) /* .release of mbarriers and barrier.cluster stays in the cluster */
        return op_is(in, TRAIT_ORDERS);
    return sem == WORD_acquire || sem == WORD_release || sem == WORD_acq_rel || sem == WORD_sc;
}

static bool waits_for_cluster(const Instr *in)
{
    return op_is(in, TRAIT_CLUSTER);
}

bool race_has_flags(const Module *m, const Func *kernel)
{
    return ptx_reaches(m, kernel, orders);
}

/* membar.sys and all that names the scope of the system; a fence has always a scope. */
static bool tells(const Instr *in)
{
    return orders(in) && opcode_has(in->op, WORD_sys);
}

bool race_tells_host(const Module *m, const Func *kernel)
{
    return ptx_reaches(m, kernel, tells);
}

bool race_has_cluster_barrier(const Module *m, const Func *kernel)
{
    return ptx_reaches(m, kernel, waits_for_cluster);
}
