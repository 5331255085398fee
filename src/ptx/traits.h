/* SPDX-License-Identifier: Apache-2.0
 *
 * What is known of an instruction, whatever its modifiers: columns of isa.def, explained in traits.def. */
#ifndef WW_PTX_TRAITS_H
#define WW_PTX_TRAITS_H

#include "ptx/ptx.h"

typedef enum TraitBit {
#define TRAIT(name, kind, what) TRAIT_BIT_##name,
#include "ptx/traits.def"
    TRAIT_BITS
} TraitBit;

enum { /* to be joined with | */
#define TRAIT(name, kind, what) TRAIT_##name = 1 << TRAIT_BIT_##name,
#include "ptx/traits.def"
};

typedef enum Pipe {
#define PIPE(name, what) PIPE_##name,
#include "ptx/traits.def"
    PIPE_COUNT
} Pipe;

typedef enum ByteFlow {
#define FLOW(name, what) FLOW_##name,
#include "ptx/traits.def"
    FLOW_COUNT
} ByteFlow;

typedef struct OpTraits {
    uint32_t is;         /* TRAIT_ bits */
    uint8_t  pipe, flow; /* Pipe, ByteFlow */
} OpTraits;

/* A row without traits has all that MAY be and nothing that is certain; so has OP_NONE. */
OpTraits op_traits(Op op);

static inline bool op_is(const Instr *in, uint32_t any)
{
    return (op_traits(in->op->op).is & any) != 0;
}
/* Others see nothing of it, or its handler counts what they can see; looks at a clock are counted always. */
static inline bool op_only_looks(const Instr *in)
{
    return op_is(in, TRAIT_COMPUTE | TRAIT_QUIET | TRAIT_TELLS);
}
/* ld, ldu: a lane's bytes go to its registers as they are.  st: the other way. */
bool op_plain_load(const Instr *in);
bool op_plain_store(const Instr *in);

#endif
