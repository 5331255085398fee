/* SPDX-License-Identifier: Apache-2.0
 *
 * Control-flow graph of one function's flat instruction list.
 *
 *   block[i]      instructions [first, end); blocks are numbered in text order, together they cover every instruction
 *   a block ends after bra, brx.idx, ret, exit and trap, and before every label that a bra or brx.idx of the function names
 *   succ[]        a guarded bra: {fall through, target}; a bra: {target}; brx.idx: each target of its list once, in list order;
 *                 a guarded ret/exit/trap: {fall through}; an unguarded one: none; anything else: {the next block}
 *                 the place behind the last instruction is not a block: running off the end, or a label there, is like ret
 *   ipdom         the nearest block that every path from here to a function's end passes; CFG_NONE: only the end itself
 *                 (also for blocks from which no path leads to an end: endless loops)
 *   order[]       reachable blocks, laid out for a scheduler that always runs the waiting block that comes first: a block comes
 *                 after all blocks on the paths from its dominator to it (back edges aside), a natural loop's blocks are
 *                 contiguous, and what a loop exits to comes behind the whole loop.  pos[b] is b's place in order[].
 *
 * Calls do not end blocks, nor do barriers.  Everything lives in the arena given to cfg_build. */
#ifndef WW_PTX_CFG_H
#define WW_PTX_CFG_H

#include "ptx/ptx.h"

#define CFG_NONE UINT32_MAX

typedef struct CfgBlock {
    uint32_t  first, end; /* instruction indices; first < end but in an empty function, which has one empty block */
    uint32_t *succ;       /* block numbers */
    uint32_t *pred;       /* reachable predecessors only */
    uint32_t  nsucc, npred;
    bool      reachable;
    uint32_t  ipdom;      /* block number or CFG_NONE */
    uint32_t  idom;       /* immediate dominator; CFG_NONE for the entry and unreachable blocks */
    uint32_t  loop;       /* innermost natural loop around it: index into Cfg.loop, or CFG_NONE */
    uint32_t  pos;        /* place in Cfg.order; CFG_NONE when unreachable */
} CfgBlock;

typedef struct CfgLoop {
    uint32_t header;      /* block number */
    uint32_t parent;      /* the next loop around it, or CFG_NONE */
    uint32_t depth;       /* 1 = outermost */
    uint32_t nblocks;     /* with the blocks of inner loops */
} CfgLoop;

typedef struct Cfg {
    CfgBlock *block;
    uint32_t  nblocks;
    uint32_t *order;      /* order[0] is the entry, block 0 */
    uint32_t  norder;
    uint32_t *block_of;   /* by instruction index: its block */
    CfgLoop  *loop;
    uint32_t  nloops;
} Cfg;

Cfg *cfg_build(Arena *a, const Func *f);
/* Is the block in that loop, or in one inside of it? */
bool cfg_lies_in(const Cfg *cfg, uint32_t block, uint32_t loop);

#endif
