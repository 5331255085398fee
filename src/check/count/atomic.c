/* SPDX-License-Identifier: Apache-2.0
 *
 * The assembler does not leave every shared atomic what it is (ptx/merge.h); here is what its passes become, read on an H200
 * (tests/data/golden/shared_atomics_h200.tsv):
 *
 *   - where one lane stands for all, the cost is one lane's;
 *   - counting up by one, lanes on one word share a pass, as loads do;
 *   - a compare-and-swap brings two words a lane, and takes twice what another atomic takes;
 *   - loops of compare-and-swap: model_swaps. */
#include "check/count/atomic.h"

#include "ptx/merge.h"

bool atomic_is_plain(unsigned role)
{
    return !(role & (MERGE_LEADER | MERGE_SCANS | MERGE_SWAPS | MERGE_SINKS));
}

ModelOp atomic_served_as(unsigned role, ModelOp op)
{
    return role & MERGE_COUNTS ? MODEL_LD : op;
}

void atomic_words(unsigned role, ModelCost *c)
{
    if (!(role & MERGE_COMPARES))
        return;
    c->wavefronts *= 2;
    c->ideal_wavefronts *= 2;
}

ModelCost atomic_cost(const Profile *p, unsigned role, const ModelAccess *m, const ModelCost *c)
{
    ModelAccess a   = *m;
    ModelCost   out = *c;
    bool        one = role & MERGE_LEADER || (role & MERGE_SCANS && m->mask == UINT32_MAX);
    if (one)
        a.mask &= -a.mask;
    if (role & MERGE_SWAPS) {
        model_swaps(p, &a, &out);
        return out;
    }
    a.op = atomic_served_as(role, a.op);
    if (one || a.op != m->op)
        model_access(p, &a, &out);
    atomic_words(role, &out);
    return out;
}
