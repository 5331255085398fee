/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a kernel order blocks by fences, or by acquiring or releasing accesses?  Does it use barrier.cluster?  Answered from the text, for every function it
 * can reach; an indirect call can reach all of them. */
#include <stdlib.h>

#include "base/arena.h"
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

static bool search(const Module *m, const Func *f, bool *seen, bool (*is)(const Instr *in))
{
    f = f->alias_of ? f->alias_of : f;
    if (seen[f->index])
        return false;
    seen[f->index] = true;
    for (size_t i = 0; i < f->ninstrs; i++) {
        const Instr *in = &f->instrs[i];
        if (is(in))
            return true;
        if (in->op->op != OP_call)
            continue;
        if (in->opd[1].kind == OPD_FUNC) {
            if (search(m, in->opd[1].func, seen, is))
                return true;
            continue;
        }
        for (size_t k = 0; k < m->nfuncs; k++)
            if (!m->funcs[k]->entry && search(m, m->funcs[k], seen, is))
                return true;
    }
    return false;
}

static bool has(const Module *m, const Func *kernel, bool (*is)(const Instr *in))
{
    bool *seen  = xcalloc(m->nfuncs + 1, sizeof *seen);
    bool  found = search(m, kernel, seen, is);
    free(seen);
    return found;
}

bool race_has_flags(const Module *m, const Func *kernel)
{
    return has(m, kernel, orders);
}

bool race_has_cluster_barrier(const Module *m, const Func *kernel)
{
    return has(m, kernel, waits_for_cluster);
}
