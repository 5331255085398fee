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
    if (role & MERGE_COUNTS)
        a.op = MODEL_LD;
    if (one || role & MERGE_COUNTS)
        model_access(p, &a, &out);
    if (role & MERGE_COMPARES) {
        out.wavefronts *= 2;
        out.ideal_wavefronts *= 2;
    }
    return out;
}
