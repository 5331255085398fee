/* SPDX-License-Identifier: Apache-2.0
 *
 * What may have happened since a barrier is carried from block to block until nothing changes. */
#include "ptx/reuse.h"

#include "ptx/traits.h"

enum { BEHIND = 1, READ = 2 }; /* a barrier was passed; and then shared memory read, in an earlier block */

static bool is_shared(const Instr *in)
{
    return in->op && opcode_has(in->op, WORD_shared);
}

static bool is_barrier(const Instr *in)
{
    return in->op && op_is(in, TRAIT_BARRIER) && !op_is(in, TRAIT_EXCHANGE | TRAIT_MBARRIER) &&
           !opcode_has(in->op, WORD_warp);
}

/* What holds behind the block, of what holds before it; *found: a store that may come too early. */
static uint8_t pass_block(const Func *f, const CfgBlock *b, uint8_t state, bool *found)
{
    bool read = false;
    for (uint32_t i = b->first; i < b->end; i++) {
        const Instr *in = &f->instrs[i];
        if (is_barrier(in)) {
            state = BEHIND;
            read  = false;
        } else if (is_shared(in)) {
            *found |= state & READ && op_is(in, TRAIT_STORE | TRAIT_ATOMIC);
            read |= state & BEHIND && op_is(in, TRAIT_LOAD);
        }
    }
    return state | (read ? READ : 0);
}

bool reuses_shared(Arena *a, const Func *f, const Cfg *cfg)
{
    uint8_t *before = ARENA_ARRAY(a, uint8_t, cfg->nblocks + 1);
    bool     found = false, changed = true;
    while (changed && !found) {
        changed = false;
        for (uint32_t i = 0; i < cfg->norder && !found; i++) {
            const CfgBlock *b     = &cfg->block[cfg->order[i]];
            uint8_t         state = pass_block(f, b, before[cfg->order[i]], &found);
            for (uint32_t j = 0; j < b->nsucc; j++) {
                changed |= (state & ~before[b->succ[j]]) != 0;
                before[b->succ[j]] |= state;
            }
        }
    }
    return found;
}
