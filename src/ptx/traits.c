/* SPDX-License-Identifier: Apache-2.0
 *
 * The columns pipe, traits and flow of isa.def.  What a row leaves open is filled in here with the worst: without traits an
 * instruction may do all that any instruction does, and nothing is certain of it. */
#include "ptx/traits.h"

#include "ptx/op.h"

enum { /* the column's words, for this table only */
#define TRAIT(name, kind, what) name = TRAIT_##name,
#include "ptx/traits.def"
       MAY  = 1,
       ONLY = 0,
#define TRAIT(name, kind, what) MAY_##name = (kind) ? TRAIT_##name : 0,
#include "ptx/traits.def"
       ANYTHING = 0
#define TRAIT(name, kind, what) | MAY_##name
#include "ptx/traits.def"
};

static const OpTraits list[OP_COUNT] = {
    [OP_NONE] = {ANYTHING, PIPE_UNKNOWN, FLOW_MIX},
#define ISA_ANY(id, exactness, pipe, traits, flow, form, note)                                                         \
    [OP_##id] = {(traits) ? (traits) : ANYTHING, PIPE_##pipe, FLOW_##flow},
#include "ptx/isa.def"
#undef ISA_ANY
};

OpTraits op_traits(Op op)
{
    return list[op];
}

bool op_plain_load(const Instr *in)
{
    OpTraits t = op_traits(in->op->op);
    return t.flow == FLOW_COPY && (t.is & (TRAIT_LOAD | TRAIT_STORE)) == TRAIT_LOAD;
}

bool op_plain_store(const Instr *in)
{
    OpTraits t = op_traits(in->op->op);
    return t.flow == FLOW_COPY && (t.is & (TRAIT_LOAD | TRAIT_STORE | TRAIT_ASYNC)) == TRAIT_STORE;
}
